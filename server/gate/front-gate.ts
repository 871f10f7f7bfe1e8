import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RateLimit } from '../http/rate-limit.ts';
import { fatalFault, faultOf, type HttpBounds, type HttpFault, isJoin, isSignIn, readObject } from './request-fault.ts';
import { clientAddressOf, corsHeadersOf, isAllowedOrigin, networkOf, type Origins } from './request-origin.ts';

export interface AddressRates {
  /** All requests and WebSockets. */
  readonly requests: RateLimit;
  readonly joins: RateLimit;
  readonly guests: RateLimit;
}

export interface FrontGateOptions {
  readonly bounds: HttpBounds & {
    /** Open connections of any kind; and WebSockets, also behind a proxy. */
    readonly connectionsPerAddress: number;
    readonly socketsPerAddress: number;
  };
  readonly origins: Origins;
  /** The number of our proxies in front of the server. */
  readonly trustedProxies: number;
  /** Undefined: addresses have no limits. */
  readonly rates: AddressRates | undefined;
  /** The game has its own routes: their bodies and responses are not checked, and the proxy's headers stay. */
  readonly hasOwnRoutes?: boolean;
  readonly onFault: (message: string, error: unknown) => void;
}

/** Refuses only requests that would end the process: for a game without a gate. */
export const refuseFatal = (http: Server): void => {
  const requests = intercept(http, 'request');
  http.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const fault = fatalFault(request);
    if (fault) answer(request, response, fault);
    else requests(request, response);
  });
};

/**
 * Stands before all other listeners of the server's requests and WebSockets. It refuses impossible requests, those from
 * pages of other origins, and too frequent ones. Call it after all listeners were added. They find the client's address
 * in `x-real-ip`; without `hasOwnRoutes` other headers that a client could forge are removed.
 */
export const guardHttp = (http: Server, options: FrontGateOptions): void => {
  const requests = intercept(http, 'request');
  http.on('request', (request: IncomingMessage, response: ServerResponse) => {
    receive(request, response, options)
      .then((isAdmitted) => isAdmitted && requests(request, response))
      .catch((error: unknown) => {
        options.onFault('a request could not be looked at', error);
        response.destroy();
      });
  });
  const { rates, bounds } = options;
  const isOneTooMany = createSocketCount(rates ? bounds.socketsPerAddress : Number.POSITIVE_INFINITY);
  const upgrades = intercept(http, 'upgrade');
  http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Until the listeners behind handle its errors.
    const destroy = (): void => void socket.destroy();
    socket.on('error', destroy);
    const address = clientAddressOf(request, options.trustedProxies);
    admit(request, options)
      .then((fault) => {
        const refusal = fault ?? (isOneTooMany(address, socket) ? TOO_MANY : undefined);
        if (refusal)
          socket.end(`HTTP/1.1 ${refusal.status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, destroy);
        if (refusal || socket.destroyed) return;
        upgrades(request, socket, head);
        socket.off('error', destroy);
      })
      .catch((error: unknown) => {
        options.onFault('a WebSocket could not be looked at', error);
        destroy();
      });
  });
  // Behind a proxy all connections come from the proxy.
  if (rates && options.trustedProxies === 0) limitConnections(http, createSocketCount(bounds.connectionsPerAddress));
};

/** Faults that any client can cause are logged only a few times a minute. */
export const LOGGED_EVERY_MS = 20_000;
const TOO_MANY: HttpFault = { status: 429, code: 'rate/limited' };

const intercept = (http: Server, event: 'request' | 'upgrade') => {
  const listeners = http.listeners(event);
  http.removeAllListeners(event);
  return (...passed: readonly unknown[]): void => {
    for (const listener of listeners) Reflect.apply(listener, http, passed);
  };
};

/** Whether the listeners behind shall respond; if not, the request has its response already. */
const receive = async (
  request: IncomingMessage,
  response: ServerResponse,
  options: FrontGateOptions,
): Promise<boolean> => {
  const { hasOwnRoutes } = options;
  const refusal = await admit(request, options);
  const headers = hasOwnRoutes ? {} : headersFor(request, options);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (refusal) answer(request, response, refusal);
  else if (request.method === 'OPTIONS' && !hasOwnRoutes) response.writeHead(204).end();
  else if (!isJoin(request) || (await hasBody(request))) return true;
  else answer(request, response, { status: 400, code: 'request/body' });
  return false;
};

interface Refusal extends HttpFault {
  readonly retryAfterMs?: number;
}

/** Undefined: the request may pass. */
const admit = async (request: IncomingMessage, options: FrontGateOptions): Promise<Refusal | undefined> => {
  const { bounds, rates, origins, onFault, hasOwnRoutes } = options;
  const address = clientAddressOf(request, options.trustedProxies);
  const ownHosts = believedHosts(request, options);
  setAddress(request, address, hasOwnRoutes);
  const fault = faultOf(request, bounds, hasOwnRoutes);
  if (fault) return fault;
  const isRead = request.headers.upgrade === undefined && (request.method === 'GET' || request.method === 'HEAD');
  if (!isRead && !isAllowedOrigin(request.headers, { ...origins, ownHosts })) {
    const list = hasOwnRoutes ? 'allowedOrigins' : 'ALLOWED_ORIGINS';
    onFault(`a page of an origin that is not in ${list} was refused`, request.headers.origin?.slice(0, 100));
    return { status: 403, code: 'origin/refused' };
  }
  if (!rates || request.method === 'OPTIONS') return undefined;
  const own = isJoin(request) ? rates.joins : isSignIn(request.url ?? '') ? rates.guests : undefined;
  const retryAfterMs = (await rates.requests.consume(address)) || ((await own?.consume(address)) ?? 0);
  return retryAfterMs > 0 ? { status: 429, code: 'rate/limited', retryAfterMs } : undefined;
};

const believedHosts = ({ headers }: IncomingMessage, { origins, trustedProxies }: FrontGateOptions) => {
  const told = trustedProxies > 0 ? headers['x-forwarded-host'] : undefined;
  return typeof told === 'string' ? [...origins.ownHosts, told.toLowerCase()] : origins.ownHosts;
};

/** Removes headers that Colyseus would believe from any sender, and sets `x-real-ip`, which it reads first. */
const setAddress = ({ headers }: IncomingMessage, address: string, hasOwnRoutes = false): void => {
  const names = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-client-ip', 'forwarded'];
  if (!hasOwnRoutes) for (const name of names) delete headers[name];
  headers['x-real-ip'] = address;
};

const headersFor = ({ headers, method }: IncomingMessage, { origins }: FrontGateOptions): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  ...(method === 'POST' ? { 'cache-control': 'no-store' } : {}),
  ...corsHeadersOf(headers.origin, origins.allowed),
});

/** Reads a join's body for Colyseus, which would accept any type and size. */
const hasBody = async (request: IncomingMessage): Promise<boolean> => {
  const body = await readObject(request);
  request.headers['content-type'] = 'application/json';
  Object.assign(request, { body });
  return body !== undefined;
};

const answer = (request: IncomingMessage, response: ServerResponse, refusal: Refusal): void => {
  const { status, code, retryAfterMs } = refusal;
  // Closes the connection instead of reading the rest of the body.
  if (request.headers['content-length'] !== undefined && status !== 429) response.setHeader('connection', 'close');
  if (retryAfterMs !== undefined) response.setHeader('retry-after', String(Math.ceil(retryAfterMs / 1_000)));
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }));
};

const limitConnections = (http: Server, isTooMany: SocketCount): void => {
  http.on('connection', (socket: Socket) => {
    if (isTooMany(networkOf(socket.remoteAddress ?? ''), socket)) socket.destroy();
  });
};

/** Counts a socket of this address until it closes. Returns whether the limit is exceeded. */
export type SocketCount = (address: string, socket: Socket) => boolean;

export const createSocketCount = (most: number): SocketCount => {
  const open = new Map<string, number>();
  return (address, socket) => {
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    return count > most;
  };
};
