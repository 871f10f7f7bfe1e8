import type { ThingsMessage, ToldThing } from '../../shared/protocol.ts';
import type { PetsAlone, SeenModules, ShownThings } from './seen-modules.ts';

/** The home as the server last sent it: plain values that never change in place. */
export interface ShownHome<Modules extends SeenModules = PetsAlone> {
  readonly playerId: string;
  readonly epoch: string;
  readonly seq: number;
  readonly items: Readonly<Record<string, number>>;
  readonly things: ShownThings<Modules>;
  /** A rule of this module fails on the thing: the home stands still until that is repaired. */
  readonly fault?: { readonly module: string; readonly thing: string };
}

type Own = Readonly<Record<string, Omit<ToldThing, 'module'>>>;
type Things = Readonly<Record<string, Own>>;

/** Reads `home:things`: joins parts, and drops homes that are not newer. */
export class ThingsReader {
  #home: ShownHome<SeenModules> | undefined;
  #parts: ThingsMessage[] = [];
  /** No message has come on this connection yet. */
  #isNew = true;

  /** A connection begins: its first home counts, whatever came before. */
  begin(): void {
    this.#isNew = true;
    this.#parts = [];
  }

  /** The number of parts of a home whose last part is not here yet. */
  get parts(): number {
    return this.#parts.length;
  }

  /** The home after the message; undefined: another part follows, or it is not newer. */
  take(message: ThingsMessage): ShownHome<SeenModules> | undefined {
    this.#parts.push(message);
    if (message.more) return undefined;
    const parts = this.#parts;
    this.#parts = [];
    if (!this.#isNewer(message)) return undefined;
    const { seq, items, fault, snapshot } = message;
    const { playerId, epoch } = snapshot ?? this.#home ?? { playerId: '', epoch: '' };
    const things = parts.reduce(changed, snapshot ? {} : ((this.#home?.things ?? {}) as Things));
    this.#isNew = false;
    this.#home = { playerId, epoch, seq, items, things, ...(fault && { fault }) };
    return this.#home;
  }

  #isNewer({ seq, snapshot }: ThingsMessage): boolean {
    const known = this.#home;
    if (!snapshot) return !this.#isNew && seq > (known?.seq ?? 0);
    return this.#isNew || snapshot.epoch !== known?.epoch || seq >= known.seq;
  }
}

const changed = (things: Things, { things: touched, gone }: ThingsMessage): Things => {
  const all: Record<string, Record<string, Own[string]>> = { ...things };
  /** Copies once, without a prototype: an id may be `constructor`, which every other object has. */
  const own = (module: string) => {
    const before = all[module];
    const copy = before && before !== things[module] ? before : Object.assign(Object.create(null), before);
    all[module] = copy;
    return copy;
  };
  for (const { module, ...thing } of touched) own(module)[thing.id] = thing;
  for (const { module, id } of gone) delete own(module)[id];
  return all;
};
