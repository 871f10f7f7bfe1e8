import type { Server as HttpServer } from 'node:http';
import { matchMaker, type Server } from '@colyseus/core';
import { readOptions } from '../../shared/options/read-options.ts';
import { fields, flag, having, list, matching, whole } from '../../shared/options/shapes.ts';
import { random } from '../adapter/machine/random.ts';
import { systemClock } from '../adapter/machine/system-clock.ts';
import { limitedLog, throttle } from '../runtime/throttle.ts';
import { limits } from '../settings/config.ts';
import { guardHttp, LOGGED_EVERY_MS } from './front-gate.ts';
import { createRates } from './rates.ts';
import { corsHeadersOf, hostsOf } from './request-origin.ts';

export interface GuardOptions {
  /** Origins of other pages that may use the server, such as `https://game.example`. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** The number of your proxies in front: so many entries of `X-Forwarded-For` are believed. Default 0. */
  readonly trustedProxies?: number;
  /** False: an address has no limits, as in a load test from one machine. Default true. */
  readonly limitsAddresses?: boolean;
  /** The most bytes of a join's body, which has the client's options. Default 4,096. */
  readonly joinBytes?: number;
}

const ANY_METHOD = 'GET, HEAD, PUT, PATCH, POST, DELETE';
const origin = matching(/^[a-z][a-z\d+.-]*:\/\/[^/*\s]+$/, 'give an origin, such as "https://game.example"');

export const guardShape = {
  allowedOrigins: list(origin).optional(),
  trustedProxies: whole({ min: 0, max: 10 }).optional(),
  limitsAddresses: flag.optional(),
  joinBytes: whole({ min: 1, max: Number.MAX_SAFE_INTEGER }).optional(),
};
export const guardServerArguments = fields({
  server: having<Server>('listen', 'define'),
  options: fields<GuardOptions>(guardShape),
});

/**
 * Puts a gate before a Colyseus server. It refuses requests that would end the process, joins that are too large or no
 * JSON, pages of other origins, and addresses that ask too often. Colyseus' CORS headers let every page read with the
 * player's credentials; here they name only allowed origins. `context.ip` of `onAuth` is the address by
 * `trustedProxies`. Call it before `listen`; the game's own routes work as before. Returns the server. Throws
 * `OptionsRefused`.
 */
export const guardServer = <Guarded extends Server>(server: Guarded, given: GuardOptions = {}): Guarded => {
  const { options } = readOptions(guardServerArguments, { server, options: given }, 'guardServer');
  const { allowedOrigins: allowed = [], trustedProxies = 0, limitsAddresses = true, joinBytes } = options;
  Object.assign(matchMaker.controller, {
    DEFAULT_CORS_HEADERS: {},
    getCorsHeaders: (headers: Headers) => corsHeadersOf(headers.get('origin') ?? undefined, allowed, ANY_METHOD),
  });
  const listen = server.listen.bind(server);
  server.listen = async (...where) => {
    await listen(...where);
    guardHttp(server.transport.server as HttpServer, {
      bounds: { ...limits.http, playerBody: joinBytes ?? limits.http.playerBody },
      origins: { allowed, ownHosts: hostsOf(server.options.publicAddress) },
      trustedProxies,
      rates: createRates({ isFree: !limitsAddresses, seed: random.uniqueName() }).addressRates,
      hasOwnRoutes: true,
      onFault: limitedLog(console.error, throttle(systemClock, LOGGED_EVERY_MS)),
    });
  };
  return server;
};
