import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { defineRoom, defineServer, LocalPresence, matchMaker } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import type { Application } from 'express';
import { systemClock } from '../adapter/machine/system-clock.ts';
import { type AddressRates, type FrontGateOptions, guardHttp, LOGGED_EVERY_MS } from '../gate/front-gate.ts';
import { hostsOf } from '../gate/request-origin.ts';
import { HomeDriver, quietMatchMaker, quietTransport } from '../room/around-colyseus/home-driver.ts';
import { startWithSmallBuffers } from '../room/around-colyseus/lean-rooms.ts';
import { createHomeRoom } from '../room/create-home-room.ts';
import type { HomeRoomOptions } from '../room/home-room-options.ts';
import type { OnFault } from '../room/session/sessions.ts';
import { limitedLog, throttle } from '../runtime/throttle.ts';
import { limits } from '../settings/config.ts';
import { addressOf, boundedHttp } from './bounded-http.ts';

export interface GameServerOptions extends HomeRoomOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Undefined: all interfaces. */
  readonly host?: string | undefined;
  /** The address of this very process if several stand behind one address: host, host:port or host/path. */
  readonly publicAddress?: string | undefined;
  /** Origins of other pages that may use this server. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** The number of our proxies in front of the server. */
  readonly trustedProxies?: number | undefined;
  /** Undefined: addresses have no limits. */
  readonly addressRates?: AddressRates | undefined;
  /** Default: `limits.http`. */
  readonly httpBounds?: FrontGateOptions['bounds'];
  /** The most bytes of a client's message. */
  readonly maxPayload: number;
  /** Adds the HTTP routes besides matchmaking. */
  readonly routes: (app: Application) => void;
}

export interface GameServer {
  readonly address: string;
  /**
   * Refuses joins (503), asks the clients to join anew (`home:drain`), replies to accepted commands, disconnects the
   * clients (code 4001), and closes the port.
   */
  close(): Promise<void>;
}

/**
 * The reference server's Colyseus server, with one kind of room: `home`. Throws the error of `listen` if the port is
 * taken. Only one per process: Colyseus' matchmaker is a singleton.
 */
export const startGameServer = async (options: GameServerOptions): Promise<GameServer> => {
  const http = boundedHttp();
  const transport = new WebSocketTransport({
    server: http,
    maxPayload: options.maxPayload,
    pingInterval: PING_MS,
    pingMaxRetries: 1,
  });
  quietTransport(http);
  quietMatchMaker();
  const onFault = limitedLog(options.onFault, throttle(systemClock, LOGGED_EVERY_MS));
  const server = defineServer({
    rooms: { home: defineRoom(createHomeRoom(roomOf(options))).filterBy(['playerId']) },
    transport,
    driver: new HomeDriver(),
    presence: new LocalPresence(),
    // A home's room is made in the process to which its player connects, whatever other processes do.
    selectProcessIdToCreateRoom: async () => matchMaker.processId,
    express: options.routes,
    logger: faultsOnly(onFault),
    gracefullyShutdown: false,
    greet: false,
    ...(options.publicAddress === undefined ? {} : { publicAddress: options.publicAddress }),
  });
  // There are no other rooms here. In a game's own server their buffer size is not ours to choose.
  startWithSmallBuffers();
  const sockets = new Set<Socket>();
  let isWarned = options.publicAddress !== undefined;
  http.on('upgrade', (request, socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (isWarned || !isSeatOfAnother(request.url ?? '', matchMaker.processId)) return;
    isWarned = true;
    options.onFault('a client was sent to a process that has no seat for it', new Error(MISDIRECTED));
  });
  const failed = once(http, 'error').then(([error]) => Promise.reject(error));
  await Promise.race([server.listen(options.port, options.host), failed]);
  http.on('error', (error) => options.onFault('the HTTP server failed', error));
  guardHttp(http, {
    bounds: options.httpBounds ?? limits.http,
    origins: { allowed: options.allowedOrigins ?? [], ownHosts: hostsOf(options.publicAddress) },
    trustedProxies: options.trustedProxies ?? 0,
    rates: options.addressRates,
    onFault,
  });
  return { address: addressOf(http, options.host), close: closingOnce(() => close(server, http, sockets)) };
};

/**
 * How often a client is pinged; a client without a response by the next ping is disconnected. It finds only clients
 * that vanished silently. Colyseus' three seconds caused nearly the whole cost of idle players.
 */
const PING_MS = 15_000;

/** Logged once: every client that comes this way is refused (`seat reservation expired`). */
const MISDIRECTED =
  'With several processes behind one address, PUBLIC_ADDRESS must say for each of them where clients reach it';
/** How long a client that reads nothing more may delay the end of the process. */
const LAST_READ_MS = 1_000;

/** A repeated close returns the first one's end. */
const closingOnce = (end: () => Promise<void>): (() => Promise<void>) => {
  let ended: Promise<void> | undefined;
  return () => {
    ended ??= end();
    return ended;
  };
};

const close = async (
  server: { gracefullyShutdown(exit: boolean): Promise<void> },
  http: HttpServer,
  sockets: ReadonlySet<Socket>,
): Promise<void> => {
  const closed = once(http, 'close');
  await server.gracefullyShutdown(false);
  http.closeAllConnections();
  // Clients got their close frame; one that does not respond or read must not delay the end of the process.
  for (const socket of sockets) {
    socket.setTimeout(LAST_READ_MS, () => socket.destroy());
    socket.end(() => socket.destroy());
  }
  await closed;
};

/** Colyseus prints a stack for every bad frame: one line is enough. Its other messages are of no use here. */
const faultsOnly = (onFault: OnFault) => {
  const silent = (): void => undefined;
  const error = (message: unknown): void => onFault('Colyseus reports a fault', String(message).split('\n', 1)[0]);
  return { error, warn: silent, info: silent, debug: silent, trace: silent };
};

/** The room's part of the options. */
const roomOf = ({ playerId, bounds, ...options }: GameServerOptions): HomeRoomOptions => {
  const { tokens, rates, revoked, onFault, modules, homes, catalogue, limits: pushes, clock } = options;
  const optional = { ...(playerId && { playerId }), ...(bounds && { bounds }) };
  return { tokens, rates, revoked, onFault, modules, homes, catalogue, limits: pushes, clock, ...optional };
};

/**
 * Whether a client connects with a seat that another process reserved. `path` is that of its WebSocket:
 * `/processId/roomId?sessionId=...`. A reconnecting client does not count: its process may have restarted since.
 */
export const isSeatOfAnother = (path: string, processId: string): boolean => {
  const [place = '', query = ''] = path.split('?', 2);
  const [asked, roomId] = place.split('/').slice(-2);
  return Boolean(asked && roomId) && asked !== processId && !new URLSearchParams(query).has('reconnectionToken');
};
