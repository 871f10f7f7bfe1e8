import { matchMaker, type Server } from '@colyseus/core';
import { readOptions } from '../../shared/options/read-options.ts';
import { callable, fields, having, list, matching, whole } from '../../shared/options/shapes.ts';
import { random } from '../adapter/machine/random.ts';
import { systemClock } from '../adapter/machine/system-clock.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { onceBound } from '../room/around-colyseus/once-bound.ts';
import { limitedLog, throttle } from '../runtime/throttle.ts';
import { limits } from '../settings/config.ts';
import { standInFront } from './front-gate.ts';
import { corsHeadersOf, hostsOf } from './request-origin.ts';

export interface GuardOptions {
  /** Origins of pages that may use the server besides its own, such as `https://game.example`. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** How many proxies of yours stand in front; so many entries of `X-Forwarded-For` are believed. Default 0. */
  readonly trustedProxies?: number;
  /** Requests and WebSockets of one address. An IPv6 address counts as its /64. Default 6,000. */
  readonly requestsPerMinute?: number;
  /** Joins and sign-ins (`/auth/`) of one address, each. Default 1,200. */
  readonly joinsPerMinute?: number;
  /** The longest body of a join, which has the client's options. Default 4,096. */
  readonly joinBytes?: number;
  /** Hears of refused pages, a few times a minute. Default: the console. */
  readonly onFault?: (message: string, error: unknown) => void;
}

const count = whole({ min: 1, max: Number.MAX_SAFE_INTEGER });

const origin = matching(/^[a-z][a-z\d+.-]*:\/\/[^/*\s]+$/, 'give an origin, such as "https://game.example"');

export const guardShape = {
  allowedOrigins: list(origin).optional(),
  trustedProxies: whole({ min: 0, max: 10 }).optional(),
  requestsPerMinute: count.optional(),
  joinsPerMinute: count.optional(),
  joinBytes: count.optional(),
  onFault: callable.optional(),
};

export const guardServerArguments = fields({
  server: having<Server>('listen', 'define'),
  options: fields<GuardOptions>(guardShape),
});

const MINUTE_MS = 60_000;
const TOLD_EVERY_MS = 20_000;

/**
 * Puts a gate before a Colyseus server: requests that would end the process, joins that are too large or no JSON, pages of other
 * origins, and addresses that ask too often are refused. Colyseus' CORS headers, which let every page read with the player's
 * credentials, name the allowed origins alone. Call it before `listen`; routes of the game's own take and return what they did.
 * Returns the server. Throws `OptionsRefused`.
 */
export const guardServer = <Guarded extends Server>(server: Guarded, options: GuardOptions = {}): Guarded => {
  readOptions(guardServerArguments, { server, options }, 'guardServer');
  const { allowedOrigins: allowed = [], trustedProxies = 0, onFault = console.error } = options;
  const { requestsPerAddress, joinsPerAddress, counters } = limits.rates;
  const seed = random.uniqueName();
  const perMinute = (most: number) => createRateLimit({ count: most, perMs: MINUTE_MS }, { counters, seed });
  const joinsPerMinute = options.joinsPerMinute ?? joinsPerAddress.count;
  Object.assign(matchMaker.controller, {
    DEFAULT_CORS_HEADERS: {},
    getCorsHeaders: (headers: Headers) => corsHeadersOf(headers.get('origin') ?? undefined, allowed, ANY_METHOD),
  });
  onceBound(server, (http) =>
    standInFront(http, {
      bounds: { ...limits.http, playerBody: options.joinBytes ?? limits.http.playerBody },
      origins: { allowed, ownHosts: hostsOf(server.options.publicAddress) },
      trustedProxies,
      rates: {
        requests: perMinute(options.requestsPerMinute ?? requestsPerAddress.count),
        joins: perMinute(joinsPerMinute),
        guests: perMinute(joinsPerMinute),
      },
      hasOwnRoutes: true,
      onFault: limitedLog(onFault, throttle(systemClock, TOLD_EVERY_MS)),
    }),
  );
  return server;
};

const ANY_METHOD = 'GET, HEAD, PUT, PATCH, POST, DELETE';
