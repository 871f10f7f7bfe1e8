import type { Client, Room } from '@colyseus/sdk';
import type { HomeJoinOptions, HomeRoom } from '../../../server/room/home-room.ts';
import type { HomeMessages } from '../../../server/room/session/recipient.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';

export interface Frame {
  readonly type: keyof HomeMessages | 'reply' | 'rejection' | 'fault';
  readonly message: unknown;
  readonly events: readonly HomeEvent[];
  /** `seq` of the state when the frame came. */
  readonly stateSeq: number;
}

/** What the SDK's `request` is made of; its typings leave it out. */
interface Requests {
  sendRequest(
    type: string,
    payload: unknown,
    options: object,
    onReply: (isAccepted: boolean, message: unknown, isFault: boolean) => void,
  ): number;
}

/** A client of a home's room that keeps what reaches it, replies and pushes in the very order of the frames. */
export class Device {
  readonly room: Room<HomeRoom>;
  readonly frames: Frame[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(room: Room<HomeRoom>) {
    this.room = room;
    for (const type of ['home:events', 'home:reply', 'home:rejected', 'home:token', 'home:drain'] as const) {
      room.onMessage(type, (message) => this.#add(type, message));
    }
  }

  static async join(client: Client, options: HomeJoinOptions = {}): Promise<Device> {
    const device = new Device(await client.joinOrCreate<HomeRoom>('home', options));
    // Messages come behind the full state: with the answer to a question everything of the join is here.
    await device.ask('home:time', {});
    return device;
  }

  /** A request whose answer is kept at its place among the frames: a promise would tell later. */
  ask(type: string, payload: unknown): Promise<Frame> {
    const { promise, resolve } = Promise.withResolvers<Frame>();
    (this.room as unknown as Requests).sendRequest(type, payload, {}, (isAccepted, message, isFault) => {
      resolve(this.#add(isAccepted ? 'reply' : isFault ? 'fault' : 'rejection', message));
    });
    return promise;
  }

  /** Waits until a frame that fits has come, also an earlier one. */
  saw(fits: (frame: Frame) => boolean): Promise<Frame> {
    const { promise, resolve } = Promise.withResolvers<Frame>();
    const look = (): void => {
      const found = this.frames.find(fits);
      if (!found) return;
      this.#waiting.delete(look);
      resolve(found);
    };
    this.#waiting.add(look);
    look();
    return promise;
  }

  /** Waits until this event has come. */
  sawSeq(seq: number): Promise<Frame> {
    return this.saw((frame) => frame.events.some((event) => event.seq === seq));
  }

  of(type: Frame['type']): readonly Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  get seqs(): readonly number[] {
    return this.frames.flatMap((frame) => frame.events.map((event) => event.seq));
  }

  #add(type: Frame['type'], message: unknown): Frame {
    const events = (message as { readonly events?: readonly HomeEvent[] } | undefined)?.events ?? [];
    const frame = { type, message, events, stateSeq: this.room.state.seq };
    this.frames.push(frame);
    for (const look of [...this.#waiting]) look();
    return frame;
  }
}
