import type { Server } from 'node:http';
import { matchMaker } from '@colyseus/core';

/** Seen in @colyseus/ws-transport 0.18.4: it prints every error's stack. Ours is thrown to the caller of the start. */
export const quietTransport = (http: Server): void => {
  http.removeAllListeners('error');
};

/**
 * Seen in @colyseus/core 0.18.17: anybody may create rooms, list them and join by id, and any page may read the responses with
 * the player's credentials. The token chooses the room, so two calls are enough; the gate in front says who may read.
 */
export const quietMatchMaker = (): void => {
  matchMaker.controller.exposedMethods = ['joinOrCreate', 'reconnect'];
  Object.assign(matchMaker.controller, { DEFAULT_CORS_HEADERS: {}, getCorsHeaders: () => ({}) });
};
