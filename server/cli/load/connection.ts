import type { HomeState } from '../../../shared/home-state.ts';
import type { EventsMessage, Rejection, Reply, TimeReply } from '../../../shared/protocol.ts';
import type { Client, Room } from './sdk.ts';

/** What became of a message. `unknown`: it may or may not have taken effect; `why` is a word for counting. */
export type Asked<Value> =
  | { readonly kind: 'accepted'; readonly value: Value }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'unknown'; readonly why: string };

interface Options {
  readonly client: Client;
  /** The newest event that was seen before; undefined: none. */
  readonly afterSeq: number | undefined;
  readonly onEvents: (events: EventsMessage['events']) => void;
  readonly onLost: () => void;
}

/** The server ends its own work after 3 s. */
const ANSWER_MS = 8_000;

/** One connection of a player to its home, from the join to its loss. */
export class Connection {
  readonly #room: Room;
  #isOpen = true;

  /** Throws when the server does not let the player in. Never ends when it does not answer. */
  static async open(options: Options): Promise<Connection> {
    const { client, afterSeq } = options;
    const room: Room = await client.joinOrCreate('home', afterSeq === undefined ? {} : { afterSeq });
    return new Connection(room, options);
  }

  private constructor(room: Room, { client, onEvents, onLost }: Options) {
    this.#room = room;
    // That is for the same process, which may be gone; to join again does as much.
    room.reconnection.enabled = false;
    room.onMessage('*', () => undefined);
    room.onMessage('home:token', ({ token }: { readonly token: string }) => {
      client.auth.token = token;
    });
    room.onMessage('home:events', ({ events }: EventsMessage) => onEvents(events));
    room.onLeave(() => {
      const wasOpen = this.#isOpen;
      this.#isOpen = false;
      if (wasOpen) onLost();
    });
  }

  get home(): Pick<HomeState, 'items' | 'pets'> {
    return this.#room.state as HomeState;
  }

  /** Never throws. */
  command(type: string, payload: object): Promise<Asked<Reply>> {
    return this.#ask<Reply>(type, payload);
  }

  /** The server's time in whole epoch milliseconds. Never throws. */
  time(): Promise<Asked<TimeReply>> {
    return this.#ask<TimeReply>('home:time', {});
  }

  /** The server hears that it is meant, and nobody waits for its farewell: it may be frozen. `onLost` is not told. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#room.leave().catch(() => undefined);
    this.drop();
  }

  /** Without a word: nobody answers there. */
  drop(): void {
    this.#isOpen = false;
    this.#room.connection.close();
  }

  async #ask<Value>(type: string, payload: object): Promise<Asked<Value>> {
    try {
      return { kind: 'accepted', value: await this.#room.request(type, payload, { timeout: ANSWER_MS }) };
    } catch (error) {
      const { reason, code } = error as { readonly reason?: Rejection; readonly code?: string };
      if (reason?.code !== undefined) return { kind: 'rejected', rejection: reason };
      return { kind: 'unknown', why: code ?? (this.#isOpen ? 'no answer' : 'connection lost') };
    }
  }
}
