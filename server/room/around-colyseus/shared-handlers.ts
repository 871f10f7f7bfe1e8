import type { Room } from '@colyseus/core';

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
