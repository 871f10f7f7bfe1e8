import type { Room } from '@colyseus/core';

/** Handlers of messages by type, for all rooms of a class. */
export type SharedHandlers = Readonly<Record<string, readonly [unknown]>>;

/** They are called without `this`, and must not throw: nobody would catch it. */
export const sharedHandlers = (handlers: object): SharedHandlers => {
  const each = Object.entries(handlers).map(([type, handler]) => [type, Object.freeze([handler])]);
  // A client names the type: there must be no `constructor` to find.
  return Object.freeze(Object.assign(Object.create(null), Object.fromEntries(each)));
};

/**
 * Gives a room handlers that it shares with others. Of its `messages` Colyseus binds and wraps each for each room: 400 bytes a
 * handler. What the room registers by itself is its own. Seen in @colyseus/core 0.18.17, where nothing public reaches the handlers.
 */
export const shareHandlers = (room: Room, shared: SharedHandlers): void => {
  const registry = Reflect.get(room, 'onMessageEvents') as { events: object };
  registry.events = Object.assign(Object.create(shared), registry.events);
};
