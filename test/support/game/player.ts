import { Client, type Room } from '@colyseus/sdk';
import { comeBack } from '../../../examples/come-back.ts';
import type { HomeJoinOptions, HomeRoom } from '../../../server/room/home-room.ts';
import type { HomeMessages } from '../../../server/room/session/session-options.ts';
import type { HomeState } from '../../../shared/home-state.ts';
import type { HomeEvent, Reply, SyncReply } from '../../../shared/pets/protocol.ts';

export interface Frame {
  /** `silence`: the connection ended before the reply. */
  readonly type: keyof HomeMessages | 'reply' | 'rejection' | 'fault' | 'silence';
  readonly message: unknown;
  /** The payload of the request that it answers. */
  readonly asked?: unknown;
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
    onClose: (why: string) => void,
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

/** The arrivals so far, in order, and the awaited ones. */
class Arrivals<Item> {
  readonly all: Item[] = [];
  readonly #waiting = new Set<() => void>();

  add(...items: readonly Item[]): void {
    this.all.push(...items);
    for (const check of [...this.#waiting]) check();
  }

  /** Resolves with the first item that fits, also an earlier one. */
  one(fits: (item: Item) => boolean): Promise<Item> {
    const { promise, resolve } = Promise.withResolvers<Item>();
    const check = (): void => {
      const found = this.all.find(fits);
      if (found === undefined) return;
      this.#waiting.delete(check);
      resolve(found);
    };
    this.#waiting.add(check);
    check();
    return promise;
  }
}

/** A player on one device, with the SDK alone. Keeps every reply and push, in the order of arrival. */
export class Player {
  readonly room: Room<HomeRoom>;
  readonly #client: Client;
  readonly #onFrame: (frame: Frame) => void;
  readonly #frames = new Arrivals<Frame>();
  readonly #events = new Arrivals<HomeEvent>();
  readonly #asked = new WeakSet<object>();

  /** `onFrame` hears of each frame at once: before the next of the same packet. */
  constructor(client: Client, room: Room<HomeRoom>, onFrame: (frame: Frame) => void = () => undefined) {
    this.#client = client;
    this.#onFrame = onFrame;
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
    (this.room as unknown as Requests).sendRequest(
      type,
      payload,
      {},
      (isAccepted, message, isFault) =>
        resolve(this.#add(isAccepted ? 'reply' : isFault ? 'fault' : 'rejection', message, payload)),
      (why) => resolve({ type: 'silence', message: why, asked: payload, events: [], stateSeq: this.room.state.seq }),
    );
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
    return this.sawFrame(({ events }) => events.some((event) => event.seq === seq));
  }

  /** When they arrive: a push in the same packet is handled before the promise of a reply. */
  #noteReplies(room: Requests): void {
    const send = room.sendRequest.bind(room);
    room.sendRequest = (type, payload, options, onReply, onClose) =>
      send(
        type,
        payload,
        options,
        (isAccepted, message, isFault) => {
          if (isAccepted && this.#asked.has(payload as object)) this.#add('reply', message, payload);
          onReply(isAccepted, message, isFault);
        },
        onClose,
      );
  }

  async log(): Promise<readonly HomeEvent[]> {
    return ((await (this.room as Room).request('home:sync', { afterSeq: 0 })) as SyncReply).events;
  }

  #add(type: Frame['type'], message: unknown, asked?: unknown): Frame {
    if (type === 'home:token') this.#client.auth.token = (message as { readonly token: string }).token;
    const events = (message as { readonly events?: readonly HomeEvent[] } | undefined)?.events ?? [];
    const frame = { type, message, asked, events, stateSeq: this.room.state.seq };
    this.#frames.add(frame);
    this.#events.add(...events);
    this.#onFrame(frame);
    return frame;
  }
}

/** The client of the player with this token, or of a new guest. It has not joined. */
export const signIn = async (address: string, token?: string): Promise<Client> => {
  const client = new Client(address);
  if (token === undefined) await client.auth.signInAnonymously();
  else client.auth.token = token;
  return client;
};

interface Entry {
  /** Default: a new guest. */
  readonly token?: string;
  readonly join?: HomeJoinOptions;
  readonly onFrame?: (frame: Frame) => void;
}

/** Signs in and joins the home. */
export const joinHome = async (address: string, { token, join = {}, onFrame }: Entry = {}): Promise<Player> => {
  const client = await signIn(address, token);
  return new Player(client, await client.joinOrCreate<HomeRoom>('home', join), onFrame);
};

/** A player that never stops, with a client that reconnects: the one of examples/come-back.ts. */
export class RestlessPlayer {
  readonly accepted: string[] = [];
  readonly #shown = new Arrivals<HomeEvent>();
  readonly #home: ReturnType<typeof comeBack>;
  #commands = 0;

  constructor(client: Client) {
    this.#home = comeBack(client, (event) => this.#shown.add(event));
  }

  /** In the order in which the client showed them. */
  get seen(): readonly HomeEvent[] {
    return this.#shown.all;
  }

  static async signIn(address: string, token?: string): Promise<RestlessPlayer> {
    return new RestlessPlayer(await signIn(address, token));
  }

  /** Rounds of feeding, cards and waiting for the bowl to be empty, until it is over. Ends with a pet that eats nothing. */
  async play(isOver: () => boolean): Promise<void> {
    const { petId = '' } = (await this.ask('home:adopt', { name: 'Rex', species: 'dog' })) ?? {};
    for (let round = 0; !isOver(); round++) {
      const fed = await this.ask('home:feed', { petId, food: 'dog-food' });
      await this.ask('home:use-card', { petId, card: round % 2 === 0 ? 'auto-feed' : 'speed-up' });
      await this.ask('home:use-card', { petId, card: 'boost' });
      if (round % 3 === 0) await this.ask('home:disarm', { petId });
      if (round % 5 === 0) await this.ask('home:stop', { petId });
      else if (fed) await this.saw((event) => event.type === 'feeding-completed' && event.feedingId === fed.feedingId);
    }
    await this.ask('home:disarm', { petId });
    await this.ask('home:stop', { petId });
  }

  /** Undefined when the rules refused it. */
  async ask(type: string, payload: object): Promise<Reply | undefined> {
    const commandId = `restless-${++this.#commands}-command`;
    try {
      const reply = await this.#home.ask(type, { commandId, ...payload });
      this.accepted.push(commandId);
      return reply;
    } catch (error) {
      if ((error as { readonly reason?: object }).reason === undefined) throw error;
      return undefined;
    }
  }

  /** Resolves with an event that fits, also an earlier one. */
  saw(fits: (event: HomeEvent) => boolean): Promise<HomeEvent> {
    return this.#shown.one(fits);
  }

  leave(): Promise<unknown> {
    return this.#home.leave();
  }
}
