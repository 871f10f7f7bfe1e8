import type { HomeEvent, Reply } from '../../../shared/pets/protocol.ts';
import type { Rejection } from '../../../shared/protocol.ts';
import { type Frame, joinHome, type Player } from '../../support/game/player.ts';
import type { Arrival, AttemptOutcome, ConnectionRecord, ShownState } from '../evidence/evidence.ts';
import { within } from '../play/within.ts';

/** A gateway that does not answer in this time is given up: another one may. */
const JOIN_MS = 3_000;
const ANSWER_MS = 3_500;

interface Options {
  readonly gateway: string;
  readonly token: string;
  readonly afterSeq: number;
  readonly onEvents: (events: readonly HomeEvent[]) => void;
}

/** One connection of a player to one gateway. Keeps every frame with events, in their order. */
export class Connection implements ConnectionRecord {
  readonly gateway: string;
  readonly afterSeq: number;
  readonly openedAtMs = Date.now();
  readonly arrivals: Arrival[] = [];
  /** Codes of refusals that answer no command. */
  readonly refusals: string[] = [];
  readonly closed: Promise<void>;
  readonly #player: Player;
  readonly #onEvents: Options['onEvents'];
  /** The commands that were sent before. */
  readonly #repeated = new WeakSet<object>();
  #isClosed = false;
  #close: () => void = () => undefined;

  /** Throws when the gateway does not let the player in, or does not answer. */
  static async open(options: Options): Promise<Connection> {
    const { gateway, token, afterSeq } = options;
    const early: Frame[] = [];
    let hear = (frame: Frame): void => void early.push(frame);
    const joining = joinHome(gateway, { token, join: { afterSeq }, onFrame: (frame) => hear(frame) });
    const player = await within(JOIN_MS, joining).catch((error: unknown) => {
      // It may be another player's connection by the time it opens.
      joining.then(drop).catch(() => undefined);
      throw error;
    });
    const connection = new Connection(options, player);
    hear = (frame) => connection.#hear(frame);
    early.forEach(hear);
    return connection;
  }

  private constructor({ gateway, afterSeq, onEvents }: Options, player: Player) {
    this.gateway = gateway;
    this.afterSeq = afterSeq;
    this.#player = player;
    this.#onEvents = onEvents;
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
    player.room.reconnection.enabled = false;
    player.room.onLeave(() => this.#end());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Undefined until the first state has come. */
  get shown(): ShownState | undefined {
    const { seq, items, pets } = this.#player.state;
    if (seq === undefined) return undefined;
    return {
      seq,
      items: Object.fromEntries(items.entries()),
      pets: [...pets.values()].map(({ id, xp, dueAt, autoFeeds }) => ({ id, xp, dueAt, autoFeeds })),
    };
  }

  /** Never throws. `isRepeated`: the command was sent before. */
  async ask(type: string, payload: object, isRepeated: boolean): Promise<AttemptOutcome> {
    if (this.#isClosed || !this.#player.room.connection.isOpen) return unknown('not connected');
    if (isRepeated) this.#repeated.add(payload);
    try {
      const { type: kind, message } = await within(ANSWER_MS, this.#player.request(type, payload));
      if (kind === 'silence') return unknown(String(message));
      if (this.#isClosed) return unknown('connection left');
      if (kind === 'reply') return { kind: 'accepted', reply: message as Reply };
      return kind === 'fault' ? unknown('outcome/unknown') : { kind: 'rejected', ...(message as Rejection) };
    } catch {
      // It may be frozen: nothing that it says from now on counts.
      this.leave();
      return unknown('no answer');
    }
  }

  leave(): void {
    drop(this.#player);
    this.#end();
  }

  #end(): void {
    this.#isClosed = true;
    this.#close();
  }

  #hear({ type, message, asked, events, stateSeq }: Frame): void {
    if (type === 'home:rejected') this.refusals.push((message as Rejection).code);
    if (this.#isClosed || (type !== 'home:events' && type !== 'reply')) return;
    const isRepeated = this.#repeated.has(asked as object);
    this.arrivals.push({ atMs: Date.now(), via: type === 'reply' ? 'reply' : 'push', isRepeated, events, stateSeq });
    this.#onEvents(events);
  }
}

const unknown = (why: string): AttemptOutcome => ({ kind: 'unknown', why });

/** Without a word, as when the network breaks; the SDK must not come back by itself. */
const drop = ({ room }: Player): void => {
  room.reconnection.enabled = false;
  room.leave(false).catch(() => undefined);
};
