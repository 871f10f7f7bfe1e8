import type { Room } from '@colyseus/core';
import { Encoder } from '@colyseus/schema';
import type { HomeState } from '../../../shared/home-state.ts';

/** Of ids with 128 characters, names with 32 characters of 4 bytes, numbers as doubles, and all fields' own bytes. */
const PET_BYTES = 900;
const ITEM_BYTES = 50;
const HOME_BYTES = 300;
const STEP = 64;

/** What a home with so much in it takes at most when its whole state is sent, in steps of 64 bytes. */
export const stateBytesAtMost = ({ pets, items }: { readonly pets: number; readonly items: number }): number =>
  Math.ceil((HOME_BYTES + pets * PET_BYTES + items * ITEM_BYTES) / STEP) * STEP;

/** What Colyseus tells of the state's fields is encoded in a buffer of the same size as those of a room. */
const LEAST_BYTES = 1024;

/**
 * Lets rooms begin with small buffers, which `fitBuffers` makes as large as their homes need. For a server whose rooms are
 * all ours: the size is one for all that Colyseus makes.
 */
export const startWithSmallBuffers = (): void => {
  Encoder.BUFFER_SIZE = LEAST_BYTES;
};

/**
 * As the serializer of a room keeps them: one for the whole state, whose first byte says that it is one, and one for
 * patches. Seen in @colyseus/core 0.18.17 and @colyseus/schema 5.0.34, where nothing public reaches them.
 */
export interface StateBuffers {
  fullEncodeBuffer: Uint8Array;
  readonly encoder: { sharedBuffer: Uint8Array };
}

export const buffersOf = (room: Room): StateBuffers => Reflect.get(room, '_serializer') as StateBuffers;

/** A buffer with more to spare than this is made anew: there are two for each room. */
const SPARE_BYTES = 256;

/**
 * Makes a room's two buffers as large as its state needs; to be called before it is sent. Else Colyseus would make the one
 * larger with a warning, and the other anew at each join.
 */
export const fitBuffers = (buffers: StateBuffers, { pets, items }: Pick<HomeState, 'pets' | 'items'>): void => {
  const bytes = stateBytesAtMost({ pets: pets.size, items: items.size });
  const fits = ({ byteLength }: Uint8Array): boolean => byteLength >= bytes && byteLength <= bytes + SPARE_BYTES;
  if (!fits(buffers.fullEncodeBuffer)) {
    const fitting = new Uint8Array(bytes);
    fitting[0] = buffers.fullEncodeBuffer[0] ?? 0;
    buffers.fullEncodeBuffer = fitting;
  }
  if (!fits(buffers.encoder.sharedBuffer)) buffers.encoder.sharedBuffer = new Uint8Array(bytes);
};

const SECOND_MS = 1_000;

/**
 * Lets a room neither patch nor tick by itself. Seen in @colyseus/core 0.18.17: a room without a patch rate that never had a
 * timer is ticked 60 times a second, so it gets a timer first, which the last call takes away.
 */
export const keepStill = (room: Room): void => {
  room.setTimestep(() => {}, SECOND_MS);
  room.patchRate = null;
  room.setTimestep();
};

type Handler = (...args: never[]) => unknown;

/** Handlers of messages by type, for all rooms of a class. */
export type SharedHandlers = Readonly<Record<string, readonly [unknown]>>;

/** They are called without `this`. What one throws ends no process: it is told to `onFault`. */
export const sharedHandlers = (
  handlers: Readonly<Record<string, Handler>>,
  onFault: (error: unknown) => void,
): SharedHandlers => {
  const each = Object.entries(handlers).map(([type, handler]) => [type, Object.freeze([guarded(handler, onFault)])]);
  // A client names the type: there must be no `constructor` to find.
  return Object.freeze(Object.assign(Object.create(null), Object.fromEntries(each)));
};

const guarded =
  (handler: Handler, onFault: (error: unknown) => void): Handler =>
  (...args) => {
    try {
      return handler(...args);
    } catch (error) {
      return onFault(error);
    }
  };

/**
 * Gives a room handlers that it shares with others. Of its `messages` Colyseus binds and wraps each for each room: 400 bytes a
 * handler. What the room registers by itself is its own. Seen in @colyseus/core 0.18.17, where nothing public reaches the handlers.
 */
export const shareHandlers = (room: Room, shared: SharedHandlers): void => {
  const registry = Reflect.get(room, 'onMessageEvents') as { events: object };
  registry.events = Object.assign(Object.create(shared), registry.events);
};
