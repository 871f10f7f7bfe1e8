import { Client, type Room } from '@colyseus/sdk';
import type { HomeJoinOptions, HomeRoom } from '../../../server/room/home-room.ts';
import type { HomeMessages } from '../../../server/room/session/session-options.ts';
import type { HomeState } from '../../../shared/home-state.ts';
import type { HomeEvent, Reply, SyncReply } from '../../../shared/pets/protocol.ts';
import { Arrivals } from './arrivals.ts';

export interface Frame {
  readonly type: keyof HomeMessages | 'reply' | 'rejection' | 'fault';
  readonly message: unknown;
  readonly events: readonly HomeEvent[];
  /** `seq` of the state when the frame came. */
  readonly stateSeq: number;
}

/** The parts of the SDK's `request`, which its typings lack. */
interface Requests {
  sendRequest(
    type: string,
    payload: unknown,
    options: object,
    onReply: (isAccepted: boolean, message: unknown, isFault: boolean) => void,
    ...more: unknown[]
  ): number;
}

const PUSHES = [
  'home:events',
  'home:reply',
  'home:rejected',
  'home:token',
  'home:rules',
  'home:drain',
  'home:things',
] as const;
let commands = 0;

/** A player on one device, with the SDK alone. Keeps every reply and push, in the order of arrival. */
export class Player {
  readonly room: Room<HomeRoom>;
  readonly #client: Client;
  readonly #frames = new Arrivals<Frame>();
  readonly #events = new Arrivals<HomeEvent>();
  readonly #asked = new WeakSet<object>();

  constructor(client: Client, room: Room<HomeRoom>) {
    this.#client = client;
    this.room = room;
    this.#noteReplies(room as unknown as Requests);
    for (const type of PUSHES) room.onMessage(type, (message) => void this.#add(type, message));
  }

  static async join(client: Client, options: HomeJoinOptions = {}, room = 'home'): Promise<Player> {
    const player = new Player(client, await client.joinOrCreate<HomeRoom>(room, options));
    // Messages come behind the full state: with the reply to a request everything of the join is here.
    await player.request('home:time', {});
    return player;
  }

  get token(): string {
    return this.#client.auth.token ?? '';
  }

  get state(): HomeState {
    return this.room.state;
  }

  get frames(): readonly Frame[] {
    return this.#frames.all;
  }

  /** By push or by reply. */
  get events(): readonly HomeEvent[] {
    return this.#events.all;
  }

  get seqs(): readonly number[] {
    return this.events.map(({ seq }) => seq);
  }

  of(type: Frame['type']): readonly Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** Resolves with whatever the reply is, which is kept at its place among the frames. */
  request(type: string, payload: unknown): Promise<Frame> {
    const { promise, resolve } = Promise.withResolvers<Frame>();
    (this.room as unknown as Requests).sendRequest(type, payload, {}, (isAccepted, message, isFault) => {
      resolve(this.#add(isAccepted ? 'reply' : isFault ? 'fault' : 'rejection', message));
    });
    return promise;
  }

  /** A command with an id of its own. Throws when it is refused, or when the connection ends first. */
  async ask(type: string, payload: object): Promise<Reply> {
    const command = { commandId: `command-${++commands}-${process.pid}`, ...payload };
    this.#asked.add(command);
    return (this.room as Room).request(type, command);
  }

  /** Resolves with an event that fits, also an earlier one. */
  saw(fits: (event: HomeEvent) => boolean): Promise<HomeEvent> {
    return this.#events.one(fits);
  }

  /** Resolves with a frame that fits, also an earlier one. */
  sawFrame(fits: (frame: Frame) => boolean): Promise<Frame> {
    return this.#frames.one(fits);
  }

  /** Resolves with the frame of this event. */
  sawSeq(seq: number): Promise<Frame> {
    return this.sawFrame((frame) => frame.events.some((event) => event.seq === seq));
  }

  /** When they arrive: a push in the same packet is handled before the promise of a reply. */
  #noteReplies(room: Requests): void {
    const send = room.sendRequest.bind(room);
    room.sendRequest = (type, payload, options, onReply, ...more) =>
      send(
        type,
        payload,
        options,
        (isAccepted, message, isFault) => {
          if (isAccepted && this.#asked.has(payload as object)) this.#add('reply', message);
          onReply(isAccepted, message, isFault);
        },
        ...more,
      );
  }

  async log(): Promise<readonly HomeEvent[]> {
    return ((await (this.room as Room).request('home:sync', { afterSeq: 0 })) as SyncReply).events;
  }

  #add(type: Frame['type'], message: unknown): Frame {
    if (type === 'home:token') this.#client.auth.token = (message as { readonly token: string }).token;
    const events = (message as { readonly events?: readonly HomeEvent[] } | undefined)?.events ?? [];
    const frame = { type, message, events, stateSeq: this.room.state.seq };
    this.#frames.add(frame);
    this.#events.add(...events);
    return frame;
  }
}

/** Signs in (as a new guest without a token) and joins the home. */
export const joinHome = async (
  address: string,
  { token, join = {} }: { readonly token?: string; readonly join?: HomeJoinOptions } = {},
): Promise<Player> => {
  const client = new Client(address);
  if (token === undefined) await client.auth.signInAnonymously();
  else client.auth.token = token;
  return new Player(client, await client.joinOrCreate<HomeRoom>('home', join));
};
