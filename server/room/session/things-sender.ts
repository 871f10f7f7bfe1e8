import type { Items } from '../../../shared/items.ts';
import type { ThingsMessage, ToldThing } from '../../../shared/protocol.ts';
import type { Commit, Fault, HomeView } from '../../home/model/commit.ts';
import type { Describe, Recipient } from './session-options.ts';

interface Dependencies {
  readonly recipient: () => Recipient | undefined;
  readonly describe: Describe;
  /** The bound for the things' JSON in one message; each message has at least one thing. */
  readonly maxBytes: number;
}

interface Sent {
  readonly seq: number;
  readonly items: Items;
  readonly fault: Fault | undefined;
}

/** After a commit that touched more things, all things are sent: so the list of removed ids is bounded. */
const MOST_TOUCHED = 200;

/**
 * Sends one client the things of its home: all of them after a read, then those that each commit touched. After a
 * commit that does not follow the last sent one, it sends all of them again.
 */
export class ThingsSender {
  readonly #on: Dependencies;
  /** Undefined: a read must come first. */
  #epoch: string | undefined;
  /** The newest home that the client knows. */
  #sent: Sent | undefined;
  /** The newest commit that arrived during a read. */
  #early: Pick<Commit, 'home' | 'fault'> | undefined;
  #isLooking = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Whether the client does not know the things. */
  get isBlind(): boolean {
    return this.#epoch === undefined;
  }

  /** Whether, in addition, no read is under way that will send them. */
  get needsLook(): boolean {
    return this.isBlind && !this.#isLooking;
  }

  /** From now on the client counts as knowing nothing. */
  forget(): void {
    this.#epoch = undefined;
    this.#sent = undefined;
    this.#early = undefined;
  }

  /** Sends all things after this read. Throws its error. */
  async during(looked: Promise<HomeView>): Promise<HomeView> {
    this.#isLooking = true;
    try {
      const view = await looked;
      this.#see(view);
      return view;
    } finally {
      this.#isLooking = false;
    }
  }

  onCommit(commit: Commit): void {
    const { home, fault, afterSeq, touched } = commit;
    if (this.#isLooking) this.#early = commit;
    if (this.#epoch === undefined) return;
    if (this.#sent?.seq === afterSeq && home.seq > afterSeq && touched.length <= MOST_TOUCHED && !fault) {
      this.#sendTouched(commit);
    } else if (!this.#sent || !isSame(this.#sent, sentOf(commit))) this.#sendAll(commit);
  }

  #see(view: HomeView): void {
    const early = this.#early;
    this.#early = undefined;
    this.#epoch = view.epoch;
    this.#sendAll(early && early.home.seq > view.home.seq ? early : view);
  }

  #sendTouched({ home, touched }: Commit): void {
    const things = this.#on.describe(home, touched);
    const there = new Set(things.map(({ module, id }) => `${module} ${id}`));
    const gone = touched.filter(({ module, id }) => !there.has(`${module} ${id}`));
    this.#send(sentOf({ home }), things, { gone });
  }

  #sendAll(shown: Pick<Commit, 'home' | 'fault'>): void {
    const { home } = shown;
    if (home.seq < (this.#sent?.seq ?? 0)) return;
    const snapshot = { playerId: home.playerId, epoch: this.#epoch ?? '' };
    this.#send(sentOf(shown), this.#on.describe(home), { gone: [], snapshot });
  }

  #send(sent: Sent, things: readonly ToldThing[], more: Pick<ThingsMessage, 'gone' | 'snapshot'>): void {
    const { recipient, maxBytes } = this.#on;
    const to = recipient();
    if (!to) return;
    this.#sent = sent;
    const { seq, items, fault } = sent;
    const parts = partsOf(things, maxBytes);
    parts.forEach((part, at) => {
      const isLast = at === parts.length - 1;
      const message = { seq, things: part, items, ...more, ...(fault && { fault }) };
      to.send('home:things', isLast ? message : { ...message, more: true });
    });
  }
}

const sentOf = ({ home, fault }: Pick<Commit, 'home' | 'fault'>): Sent => ({ seq: home.seq, items: home.items, fault });

/** Homes of the same `seq` may differ in their items if the game has its own inventory. */
const isSame = (sent: Sent, now: Sent): boolean =>
  sent.seq === now.seq &&
  sent.fault?.module === now.fault?.module &&
  sent.fault?.thing === now.fault?.thing &&
  Object.keys(sent.items).length === Object.keys(now.items).length &&
  Object.entries(now.items).every(([item, count]) => sent.items[item] === count);

/** At least one part, even without things. */
const partsOf = (things: readonly ToldThing[], maxBytes: number): readonly (readonly ToldThing[])[] => {
  const parts: ToldThing[][] = [[]];
  let bytes = 0;
  for (const thing of things) {
    const more = Buffer.byteLength(JSON.stringify(thing));
    if (bytes > 0 && bytes + more > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(thing);
    bytes += more;
  }
  return parts;
};
