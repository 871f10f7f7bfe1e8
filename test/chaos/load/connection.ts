import { Client, type Room } from '@colyseus/sdk';
import type { HomeState } from '../../../shared/home-state.ts';
import type { EventsMessage, HomeEvent, Reply } from '../../../shared/pets/protocol.ts';
import type { Rejection } from '../../../shared/protocol.ts';
import type { Arrival, AttemptOutcome, ConnectionRecord, ShownState } from '../evidence/evidence.ts';
import { within } from '../play/within.ts';

/** A gateway that does not answer in this time is given up: another one may. */
const JOIN_MS = 3_000;
const ANSWER_MS = 3_500;

/** What the SDK's `request` is made of; its typings leave it out. */
interface Requests {
  sendRequest(
    type: string,
    payload: unknown,
    options: object,
    onReply: (isAccepted: boolean, message: unknown, isFault: boolean) => void,
    onClose: (why: string) => void,
  ): number;
}

interface Options {
  readonly gateway: string;
  readonly token: string;
  readonly afterSeq: number;
  readonly onEvents: (events: readonly HomeEvent[]) => void;
}

/** One connection of a player to one gateway, with the SDK alone. Keeps every frame with events, in their order. */
export class Connection implements ConnectionRecord {
  readonly gateway: string;
  readonly afterSeq: number;
  readonly openedAtMs = Date.now();
  readonly arrivals: Arrival[] = [];
  /** Codes of refusals that answer no command. */
  readonly refusals: string[] = [];
  readonly closed: Promise<void>;
  readonly #room: Room<HomeState>;
  readonly #onEvents: Options['onEvents'];
  #isClosed = false;
  #close: () => void = () => undefined;

  /** Throws when the gateway does not let the player in, or does not answer. */
  static async open(options: Options): Promise<Connection> {
    const client = new Client(options.gateway);
    client.auth.token = options.token;
    const joining: Promise<Room<HomeState>> = client.joinOrCreate('home', { afterSeq: options.afterSeq });
    const room = await within(JOIN_MS, joining).catch((error: unknown) => {
      // It may be another player's connection by the time it opens.
      joining.then(drop).catch(() => undefined);
      throw error;
    });
    return new Connection(options, room);
  }

  private constructor({ gateway, afterSeq, onEvents }: Options, room: Room<HomeState>) {
    this.gateway = gateway;
    this.afterSeq = afterSeq;
    this.#room = room;
    this.#onEvents = onEvents;
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
    room.reconnection.enabled = false;
    room.onLeave(() => this.#end());
    room.onMessage('home:token', () => undefined);
    room.onMessage('home:drain', () => undefined);
    room.onMessage('home:rejected', ({ code }: Rejection) => this.refusals.push(code));
    room.onMessage('home:events', ({ events }: EventsMessage) => this.#arrive('push', false, events));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Undefined until the first state has come. */
  get shown(): ShownState | undefined {
    const { seq, items, pets } = this.#room.state;
    if (seq === undefined) return undefined;
    return {
      seq,
      items: Object.fromEntries(items.entries()),
      pets: [...pets.values()].map(({ id, xp, dueAt, autoFeeds }) => ({ id, xp, dueAt, autoFeeds })),
    };
  }

  /** Never throws. `isRepeated`: the command was sent before. */
  ask(type: string, payload: object, isRepeated: boolean): Promise<AttemptOutcome> {
    const answer = new Promise<AttemptOutcome>((resolve) => {
      const unknown = (why: string): void => resolve({ kind: 'unknown', why });
      if (this.#isClosed || !this.#room.connection.isOpen) return unknown('not connected');
      (this.#room as unknown as Requests).sendRequest(
        type,
        payload,
        {},
        (isAccepted, message, isFault) => {
          if (this.#isClosed) return unknown('connection left');
          if (isAccepted) {
            const reply = message as Reply;
            this.#arrive('reply', isRepeated, reply.events);
            resolve({ kind: 'accepted', reply });
          } else if (isFault) unknown('outcome/unknown');
          else resolve({ kind: 'rejected', ...(message as Rejection) });
        },
        unknown,
      );
    });
    return within(ANSWER_MS, answer).catch(() => {
      // It may be frozen: nothing that it says from now on counts.
      this.leave();
      return { kind: 'unknown', why: 'no answer' };
    });
  }

  leave(): void {
    drop(this.#room);
    this.#end();
  }

  #end(): void {
    this.#isClosed = true;
    this.#close();
  }

  #arrive(via: Arrival['via'], isRepeated: boolean, events: readonly HomeEvent[]): void {
    if (this.#isClosed) return;
    this.arrivals.push({ atMs: Date.now(), via, isRepeated, events, stateSeq: this.#room.state.seq });
    this.#onEvents(events);
  }
}

/** Without a word, as when the network breaks; the SDK must not come back by itself. */
const drop = (room: Room<HomeState>): void => {
  room.reconnection.enabled = false;
  room.leave(false).catch(() => undefined);
};
