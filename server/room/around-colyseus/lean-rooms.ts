import type { Room } from '@colyseus/core';
import { Encoder } from '@colyseus/schema';
import type { HomeState } from '../../../shared/home-state.ts';

/** For ids of 128 characters, names of 32 characters with 4 bytes each, numbers as doubles, and the fields' own bytes. */
const PET_BYTES = 900;
const ITEM_BYTES = 50;
const HOME_BYTES = 300;
const STEP = 64;

/** The most bytes of a home's whole state, in steps of 64 bytes. */
export const stateBytesAtMost = ({ pets, items }: { readonly pets: number; readonly items: number }): number =>
  Math.ceil((HOME_BYTES + pets * PET_BYTES + items * ITEM_BYTES) / STEP) * STEP;

/** Colyseus describes the state's fields in a buffer of the same size as those of a room. */
const LEAST_BYTES = 1024;

/**
 * Makes rooms begin with small buffers, which `fitBuffers` fits to their homes. Only for a server without other rooms
 * than ours, since the size applies to everything that Colyseus makes.
 */
export const startWithSmallBuffers = (): void => {
  Encoder.BUFFER_SIZE = LEAST_BYTES;
};

/**
 * The buffers of a room's serializer: one for the whole state, marked by its first byte, and one for patches. Checked
 * with @colyseus/core 0.18.17 and @colyseus/schema 5.0.34, which have no public access to them.
 */
export interface StateBuffers {
  fullEncodeBuffer: Uint8Array;
  readonly encoder: { sharedBuffer: Uint8Array };
}

export const buffersOf = (room: Room): StateBuffers => Reflect.get(room, '_serializer') as StateBuffers;

/** A buffer with more unused bytes is replaced, because each room has two. */
const SPARE_BYTES = 256;

/**
 * Fits a room's two buffers to its state. Call it before the state is sent: otherwise Colyseus enlarges one with a
 * warning and replaces the other at each join.
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
 * Stops a room's own patches and ticks. In @colyseus/core 0.18.17 a room without a patch rate that never had a timer
 * ticks 60 times a second. So it first gets a timer, which the last call removes.
 */
export const stopPatches = (room: Room): void => {
  room.setTimestep(() => {}, SECOND_MS);
  room.patchRate = null;
  room.setTimestep();
};

type Handler = (...args: never[]) => unknown;

/** Handlers of messages by type, for all rooms of a class. */
export type SharedHandlers = Readonly<Record<string, readonly [unknown]>>;

/** Called without `this`. An error does not end the process: `onFault` gets it. */
export const sharedHandlers = (
  handlers: Readonly<Record<string, Handler>>,
  onFault: (error: unknown) => void,
): SharedHandlers => {
  const each = Object.entries(handlers).map(([type, handler]) => [type, Object.freeze([guarded(handler, onFault)])]);
  // A client names the type, so `constructor` and the like must not be found.
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
 * Gives a room shared handlers: Colyseus binds and wraps each entry of `messages` for each room, 400 bytes a handler.
 * The room's own registrations stay its own. Checked with @colyseus/core 0.18.17, which has no public access to
 * handlers.
 */
export const shareHandlers = (room: Room, shared: SharedHandlers): void => {
  const registry = Reflect.get(room, 'onMessageEvents') as { events: object };
  registry.events = Object.assign(Object.create(shared), registry.events);
};
