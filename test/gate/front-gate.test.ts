import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { clientAddressOf, networkOf } from '../../server/gate/request-origin.ts';
import { createRateLimit } from '../../server/http/rate-limit.ts';
import type { GameServerOptions } from '../../server/reference/game-server.ts';
import { limits } from '../../server/settings/config.ts';
import { type HomeServer, startHomeServer } from '../support/game/home-server.ts';
import { requestText, sendRaw, statusOf, upgradeText } from '../support/machine/raw-http.ts';
import { openSocket, seatOf } from '../support/machine/raw-socket.ts';

let server: HomeServer;
const start = async (settings: Partial<GameServerOptions> = {}): Promise<void> => {
  server = await startHomeServer(settings);
};
afterEach(() => server.close());

const JOIN = 'POST /matchmake/joinOrCreate/home';
const status = async (text: string): Promise<number> => statusOf(await sendRaw(server.address, text));

describe('a request that cannot be', () => {
  // The first five ended the process: Colyseus makes a URL of them in a promise that it does not await.
  it.each([
    ['has a host that is none', 400, requestText(JOIN, { Host: '[' })],
    ['has a port that is none', 400, requestText(JOIN, { Host: 'kibble.test:99999' })],
    ['has an address that is none', 400, requestText(JOIN, { Host: '1.2.3.999' })],
    ['has a host of two words', 400, requestText('GET /__healthcheck', { Host: 'a b' })],
    ['claims a scheme that is none', 525, requestText(JOIN, { 'X-Forwarded-Proto': 'a b' })],
    ['asks for no path', 400, requestText('OPTIONS *')],
    ['asks for another server', 400, requestText('GET http://elsewhere/livez')],
    ['has a path that means nothing', 400, requestText('GET /%ff')],
    ['names what every object has', 400, requestText('POST /matchmake/reconnect/__proto__')],
    ['has a method of its own', 405, requestText('DELETE /livez')],
    ['has a long address', 414, requestText(`GET /${'a'.repeat(5_000)}`)],
    ['has long headers', 431, requestText('GET /livez', { 'X-Long': 'a'.repeat(9_000) })],
    [
      'has a body without a length',
      411,
      requestText(JOIN, { 'Content-Length': '', 'Transfer-Encoding': 'chunked' }).replace('Content-Length: \r\n', ''),
    ],
    ['announces a body of 20 MB', 413, requestText(JOIN, { 'Content-Length': '20000000' })],
    ['joins with a form', 400, requestText(JOIN, { 'Content-Type': 'multipart/form-data' }, 'abc')],
    ['joins with a list', 400, requestText(JOIN, { 'Content-Type': 'application/json' }, '[]')],
    ['upgrades to what every object has', 400, upgradeText('/process/constructor?sessionId=a')],
    ['upgrades with a host that is none', 400, upgradeText('/process/room', { Host: '[' })],
  ])('and %s is answered with %i', async (_what, expected, text) => {
    await start();

    expect(await status(text)).toBe(expected);
    expect(await status(requestText('GET /livez'))).toBe(200);
    expect(server.faults).toEqual([]);
  });
});

describe('a page of another origin', () => {
  const evil = { Origin: 'https://evil.example' };
  const game = { Origin: 'https://game.example' };
  const settings = { allowedOrigins: ['https://game.example'], publicAddress: 'play.example/gateway-1' };

  it.each([
    ['join', requestText(JOIN, evil)],
    ['sign in', requestText('POST /auth/anonymous', evil)],
    ['ask what it may do', requestText('OPTIONS /auth/anonymous', evil)],
    ['open a WebSocket', upgradeText('/a/b', evil)],
    ['hide where it comes from', requestText('POST /auth/anonymous', { Origin: 'null' })],
  ])('cannot %s', async (_what, text) => {
    await start(settings);

    expect(await status(text)).toBe(403);
  });

  it('is told nothing that it could read, and its name is not repeated', async () => {
    await start(settings);

    const answer = await sendRaw(server.address, requestText('GET /livez', evil));

    expect(answer).not.toMatch(/access-control|evil/i);
    expect(answer).toMatch(/x-content-type-options: nosniff/i);
  });

  it.each([
    ['is listed', game],
    ['is the server’s own', { Origin: 'http://kibble.test' }],
    ['is that of its public address', { Origin: 'https://play.example' }],
    ['is none: a game client outside of a browser', {}],
  ])('may sign in when it %s', async (_what, headers) => {
    await start(settings);

    expect(await status(requestText('POST /auth/anonymous', headers))).toBe(200);
  });

  it('gets the permission that browsers want when it is listed', async () => {
    await start(settings);

    const answer = await sendRaw(server.address, requestText('OPTIONS /auth/anonymous', game));

    expect(statusOf(answer)).toBe(204);
    expect(answer).toMatch(/access-control-allow-origin: https:\/\/game\.example\r\n/);
    expect(answer).toMatch(/vary: Origin/i);
  });
});

describe('an address', () => {
  const addressRates = () => ({
    requests: createRateLimit({ count: 100, perMs: 60_000 }),
    joins: createRateLimit({ count: 2, perMs: 60_000 }),
    guests: createRateLimit({ count: 2, perMs: 60_000 }),
  });

  it.each([
    ['signs in', 'POST /auth/anonymous'],
    ['joins', JOIN],
  ])('that %s too often has to wait, and others need not', async (_what, line) => {
    await start({ addressRates: addressRates(), trustedProxies: 1 });
    const ask = (address: string): Promise<string> =>
      sendRaw(server.address, requestText(line, { 'X-Forwarded-For': address }));

    const answers = [await ask('1.1.1.1'), await ask('1.1.1.1'), await ask('6.6.6.6, 1.1.1.1'), await ask('1.1.1.2')];

    expect(answers.map((answer) => statusOf(answer) === 429)).toEqual([false, false, true, false]);
    expect(answers[2]).toMatch(/retry-after: \d+/i);
    expect(answers[2]).toMatch(/"error":"rate\/limited","retryAfterMs":\d+/);
  });

  it('signs in no more often by other writings of the path', async () => {
    await start({ addressRates: { ...addressRates(), guests: createRateLimit({ count: 1, perMs: 60_000 }) } });
    expect(await status(requestText('POST /auth/anonymous'))).toBe(200);
    const answers = async (paths: readonly string[]): Promise<readonly number[]> =>
      Promise.all(paths.map((path) => status(requestText(`POST ${path}`))));

    const served = ['/AUTH/anonymous', '/Auth/Anonymous/', '/auth/ANONYMOUS?a', '/auth/anonymous#a'];
    expect(await answers(served)).toEqual([429, 429, 429, 429]);
    const none = [
      '/./auth/anonymous',
      '/x/../AUTH/anonymous',
      '//auth/anonymous',
      '/%61uth/anonymous',
      '/auth//anonymous',
    ];
    for (const answer of await answers(none)) expect([404, 429]).toContain(answer);
    expect(await answers(['/auth\\anonymous', '/auth\\anonymous#a', '/.\\AUTH/anonymous'])).toEqual([400, 400, 400]);
  });

  it('cannot be another one by saying so', async () => {
    await start({ addressRates: addressRates() });
    const ask = (address: string): Promise<number> =>
      status(requestText('POST /auth/anonymous', { 'X-Forwarded-For': address, 'X-Real-IP': address }));

    expect([await ask('1.1.1.1'), await ask('2.2.2.2'), await ask('3.3.3.3')]).toEqual([200, 200, 429]);
  });

  it('has no more WebSockets than allowed, also behind a proxy, and one that closes makes room', async () => {
    const rates = { ...addressRates(), joins: createRateLimit({ count: 9, perMs: 60_000 }) };
    const httpBounds = { ...limits.http, socketsPerAddress: 2 };
    await start({ addressRates: rates, trustedProxies: 1, httpBounds });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const open = async () => openSocket(server.address, await seatOf(server, 'guest:alice'), from('1.1.1.1'));
    const isRefused = async (address: string): Promise<boolean> =>
      statusOf(await sendRaw(server.address, upgradeText('/a/b', from(address)), { isShort: true })) === 429;
    const [first, second] = [await open(), await open()];

    expect([await isRefused('1.1.1.1'), await isRefused('1.1.1.2')]).toEqual([true, false]);
    first.socket.destroy();
    await expect.poll(() => isRefused('1.1.1.1')).toBe(false);

    second.socket.destroy();
  });

  it('cannot guess tokens for long', async () => {
    const rates = {
      messages: createRateLimit({ count: 9, perMs: 60_000 }),
      joins: createRateLimit({ count: 9, perMs: 60_000 }),
      badTokens: createRateLimit({ count: 2, perMs: 60_000 }),
    };
    await start({ rates });
    const join = (token: string) => sendRaw(server.address, requestText(JOIN, { Authorization: `Bearer ${token}` }));

    expect(await join('e30.e30.e30')).toMatch('auth/refused');
    expect(await join('e30.e30.e30')).toMatch('auth/refused');
    expect(await join((await server.tokens.signGuest('guest:alice')) ?? '')).toMatch('rate/limited');
  });
});

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('where a request comes from', () => {
  it.each([
    ['no proxy is trusted, whatever is claimed', 0, '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ['one proxy wrote the last entry', 1, '10.0.0.1', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['two proxies wrote the last two', 2, '10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.2', '1.1.1.1'],
    ['fewer entries than proxies say nothing', 2, '10.0.0.1', '6.6.6.6', '10.0.0.1'],
    ['no entry says nothing', 1, '10.0.0.1', undefined, '10.0.0.1'],
    ['what is no address says nothing', 1, '10.0.0.1', 'unknown', '10.0.0.1'],
    ['a port belongs to no address', 1, '10.0.0.1', '1.1.1.1:443', '1.1.1.1'],
    ['nor behind brackets', 1, '10.0.0.1', '[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ])('%s', (_what, proxies, direct, forwarded, address) => {
    expect(clientAddressOf(from(direct, forwarded), proxies)).toBe(address);
  });

  it.each([
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001::9', '2001:db8:1:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['1.2.3.4', '1.2.3.4'],
  ])('%s is counted as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
