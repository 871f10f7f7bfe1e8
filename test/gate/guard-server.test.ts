// A game's own server: with Kibble's plugin alone, and with the gate before it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AuthContext,
  createEndpoint,
  createRouter,
  definePlugins,
  defineRoom,
  defineServer,
  matchMaker,
  Room,
  type Server,
} from '@colyseus/core';
import { Client } from '@colyseus/sdk';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { Pool } from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createKibble, type GuardOptions, guardServer, silent } from '../../server/kibble.ts';
import { limits } from '../../server/settings/config.ts';
import { requestText, sendRaw, statusOf, upgradeText } from '../support/machine/raw-http.ts';
import { openSocket, type Seat } from '../support/machine/raw-socket.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';

const JOIN = 'POST /matchmake/joinOrCreate/town';
/** Paths that Colyseus' router serves as that join. */
const SAME_JOIN = [
  '/matchmake/joinOrCreate/town',
  '/./matchmake/joinOrCreate/town',
  '/x/../matchmake/joinOrCreate/town',
  '/%2e/matchmake/joinOrCreate/town',
  '/x/.%2E/matchmake/joinOrCreate/town',
  '/matchmake/./joinOrCreate/town',
  '/matchmake/joinOrCreate/x/../town?a#b',
];
/** Nearly that join: nothing is there, or they are refused. */
const NO_JOIN = [
  '/.\\matchmake/joinOrCreate/town',
  '/x\\..\\matchmake\\joinOrCreate\\town',
  '/matchmake/joinOrCreate/town/',
  '//matchmake/joinOrCreate/town',
  '/\\matchmake/joinOrCreate/town',
  '/x/..//matchmake/joinOrCreate/town',
  '/%6datchmake/joinOrCreate/town',
  '/MATCHMAKE/joinOrCreate/town',
  '/matchmake%2fjoinOrCreate/town',
  '/matchmake/joinOrCreate/town%2f..',
  '/matchmake/joinOrCreate/town/x',
];

/** Undefined: the plugin alone. */
type Gate = GuardOptions | undefined;

const startGame = async (gate: Gate, database?: object, more: object = {}) => {
  const { DEFAULT_CORS_HEADERS, getCorsHeaders } = matchMaker.controller;
  const http = createServer();
  const server: Server = defineServer({
    rooms: { town: defineRoom(TownRoom) },
    transport: new WebSocketTransport({ server: http }),
    express: (app) => {
      app.put('/own', (request, response) => void request.resume().on('end', () => response.send('own')));
      app.get('/scheme', (request, response) => void response.send(request.headers['x-forwarded-proto']));
    },
    greet: false,
    gracefullyShutdown: false,
    ...(database && { database }),
    ...more,
  } as Parameters<typeof defineServer>[0]);
  if (gate) guardServer(server, gate);
  await server.listen(0, '127.0.0.1');
  onTestFinished(async () => {
    await server.gracefullyShutdown(false);
    Object.assign(matchMaker.controller, { DEFAULT_CORS_HEADERS, getCorsHeaders });
  });
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const ask = (text: string): Promise<string> => sendRaw(address, text);
  return { address, ask, status: async (text: string) => statusOf(await ask(text)) };
};

class TownRoom extends Room {
  static address: string | undefined;
  static joins = 0;

  static override async onAuth(_token: string, _options: object, { ip }: AuthContext) {
    TownRoom.address = String(ip);
    TownRoom.joins += 1;
    return { sub: 'ann' };
  }
}

/** As the docs have it: nothing but `database` and `plugins`. */
const startTown = async (gate: Gate, more: object = {}) => {
  const database = await createDatabase(inject('postgresUrl'));
  const pool = new Pool({ connectionString: database.url, max: 6 });
  pool.on('error', () => undefined);
  const kibble = createKibble({ pool, log: silent, playerId: ({ sub }) => sub });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  class KibbleRoom extends TownRoom {
    override plugins = definePlugins([kibble.plugin()]);
  }
  return startGame(gate, kibble.lifecycle, { rooms: { town: defineRoom(KibbleRoom) }, ...more });
};

const FATAL: readonly (readonly [what: string, status: number, text: string])[] = [
  ['a host that is none', 400, requestText(JOIN, { Host: '[' })],
  ['a host of two words', 400, requestText('GET /__healthcheck', { Host: 'a b' })],
  ['a port that is none', 400, requestText(JOIN, { Host: 'game.example:99999' })],
  ['an address that is none', 400, requestText(JOIN, { Host: '1.2.3.999' })],
  ['a name and a password', 400, requestText(JOIN, { Host: 'ann:secret@game.example' })],
  ['a whole URL as a proxy gets it', 400, requestText('GET http://game.example/', { Host: 'a:2567' })],
  ['a whole URL with a port', 400, requestText('GET http://game.example:1/matchmake/', { Host: 'a:2567' })],
  ['a target that is no path', 400, requestText('GET *', { Host: 'a:1' })],
  ['an empty host', 400, requestText('GET /', { Host: '' })],
  ['a method that no request can have', 405, requestText('TRACE /')],
  ['a scheme of two words', 200, requestText(JOIN, { 'X-Forwarded-Proto': 'a b' })],
  ['the schemes of two proxies', 200, requestText(JOIN, { 'X-Forwarded-Proto': 'https, http' })],
];

// Each of them ended the process: Colyseus makes a `Request` of them in a promise that nothing awaits.
describe.each([
  ['the plugin alone', undefined],
  ['a gate', {}],
])('a game’s own server with %s', (_name, gate) => {
  it('lives through what would end it, and serves what it did', { timeout: 30_000 }, async () => {
    const { status, ask, address } = await startTown(gate);
    for (const [what, expected, text] of FATAL) expect(await status(text), what).toBe(expected);
    const chunked = requestText('PUT /own', { 'Content-Length': '', 'Transfer-Encoding': 'chunked' });
    expect(await ask(`${chunked.replace('Content-Length: \r\n', '')}3\r\nabc\r\n0\r\n\r\n`)).toMatch(/own$/);
    expect(await ask(requestText('GET /scheme', { 'X-Forwarded-Proto': 'https, http' }))).toMatch(/https$/);
    const room = await new Client(address).joinOrCreate('town', { some: 'option' });
    expect(await room.request('home:time', {})).toMatchObject({ nowMs: expect.any(Number) });
    await room.leave();
  });

  it('lives through that also without routes of its own', { timeout: 30_000 }, async () => {
    const { status, address } = await startTown(gate, { express: undefined });
    for (const [what, expected, text] of FATAL) expect(await status(text), what).toBe(expected);
    const room = await new Client(address).joinOrCreate('town', {});
    await room.leave();
  });
});

describe('a gate before a game’s own server', () => {
  const gate = { allowedOrigins: ['https://game.example'], trustedProxies: 1 };
  const [evil, game] = [{ Origin: 'https://evil.example' }, { Origin: 'https://game.example' }];

  it('lets a client lie about its address to nobody: `context.ip` is what the proxy wrote', async () => {
    const { status } = await startGame(gate);
    const lies = { 'X-Real-IP': '6.6.6.6', 'X-Client-IP': '6.6.6.7', 'X-Forwarded-For': '6.6.6.8, 203.0.113.9' };
    expect(await status(requestText(JOIN, lies, '{}'))).toBe(200);
    expect(TownRoom.address).toBe('203.0.113.9');
  });

  it('refuses joins that are too large, or no JSON', async () => {
    const { status } = await startGame({ ...gate, joinBytes: 20 });
    expect(await status(requestText(JOIN, {}, JSON.stringify({ name: 'a'.repeat(20) })))).toBe(413);
    expect(await status(requestText(JOIN, { 'Content-Type': 'multipart/form-data' }, 'abc'))).toBe(400);
    expect(await status(requestText(JOIN, {}, '{"name":"Ann"}'))).toBe(200);
  });

  it.each([
    ['routes of its own', {}, ''],
    ['no routes of its own', { express: undefined }, ''],
    ['a router below a path', { express: undefined, routes: createRouter({}, { basePath: '/api' }) }, '/api'],
  ])('looks at a join by any writing of its path, before a server with %s', async (_what, more, base) => {
    const { status } = await startGame({ ...gate, joinBytes: 20 }, undefined, more);
    const chunked = { 'Content-Length': '', 'Transfer-Encoding': 'chunked' };
    const ask = async (path: string): Promise<readonly number[]> => {
      const line = `POST ${base}${path}`;
      const unknownLength = requestText(line, chunked, '2\r\n{}\r\n0\r\n\r\n').replace('Content-Length: \r\n', '');
      const large = requestText(line, {}, JSON.stringify({ name: 'a'.repeat(20) }));
      return [await status(unknownLength), await status(large), await status(requestText(line, {}, '[]'))];
    };
    TownRoom.joins = 0;
    for (const path of SAME_JOIN) expect(await ask(path), path).toEqual([411, 413, 400]);
    for (const path of NO_JOIN) expect(await ask(path), path).not.toContain(200);
    expect(TownRoom.joins).toBe(0);
  });

  it('leaves routes of the game to it that are nearly a join', async () => {
    const routes = createRouter({
      leave: createEndpoint('/api/matchmake/queue/:id', { method: 'DELETE' }, async () => ({})),
    });
    const { status } = await startGame(gate, undefined, { express: undefined, routes });
    expect(await status(requestText('DELETE /api/matchmake/queue/12'))).toBe(200);
  });

  it('refuses pages that are not listed, and lets only those that are read responses', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const { ask, status } = await startGame(gate, undefined, { publicAddress: 'play.example/1' });
    for (const text of [requestText(JOIN, evil), requestText('PUT /own', evil), upgradeText('/a/b', evil)]) {
      expect(await status(text)).toBe(403);
    }
    expect(await ask(requestText('GET /scheme', evil))).not.toMatch(/access-control|evil/i);
    for (const headers of [game, {}, { Origin: 'https://play.example' }, { Origin: 'http://kibble.test' }]) {
      expect(await status(requestText(JOIN, headers))).toBe(200);
    }
    const preflight = await ask(requestText('OPTIONS /own', game));
    expect(preflight).toMatch(/access-control-allow-origin: https:\/\/game\.example\r\n/i);
    expect(preflight).toMatch(/access-control-allow-methods: .*PUT/i);
    const refused = 'a page of an origin that is not in allowedOrigins was refused';
    expect(printed.mock.calls).toEqual([[refused, 'https://evil.example']]);
    printed.mockRestore();
  });

  it.each([
    ['so often, and another one after it', {}, [429, 404]],
    ['as often as it likes without limits', { limitsAddresses: false }, [200, 404]],
  ])('lets an address join %s', async (_how, options, expected) => {
    const { status } = await startGame({ ...gate, ...options }, undefined, { express: undefined });
    const from = (line: string, address: string) => status(requestText(line, { 'X-Forwarded-For': address }));
    const joinBy = (n: number) => from(`POST ${SAME_JOIN[n % SAME_JOIN.length]}`, '1.1.1.1');
    for (let n = 0; n < limits.rates.joinsPerAddress.count; n++) expect(await joinBy(n)).toBe(200);
    for (const n of SAME_JOIN.keys()) expect(await joinBy(n)).toBe(expected[0]);
    expect(await from('GET /none', '1.1.1.1')).toBe(expected[1]);
    expect(await from(JOIN, '1.1.1.2')).toBe(200);
  });

  it('lets a client through that comes with its WebSocket', async () => {
    const { address } = await startGame(gate);
    const answer = await fetch(`${address}/matchmake/joinOrCreate/town`, { method: 'POST' });
    const { answer: status, socket } = await openSocket(address, (await answer.json()) as Seat);
    expect(status).toBe(101);
    socket.destroy();
  });
});
