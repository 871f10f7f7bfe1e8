import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ClientState, matchMaker, Protocol, type Room } from '@colyseus/core';
import { Client } from '@colyseus/sdk';
import { SignJWT } from 'jose';
import { afterEach, expect, it, vi } from 'vitest';
import { createRateLimit } from '../../server/http/rate-limit.ts';
import type { GameServerOptions } from '../../server/reference/game-server.ts';
import type { RoomBounds } from '../../server/room/home-room-options.ts';
import type { OnFault } from '../../server/room/session/sessions.ts';
import { ISSUERS_CLOCK_S } from '../../server/room/tokens.ts';
import { limits } from '../../server/settings/config.ts';
import { type HomeServer, startHomeServer, TEST_SECRET } from '../support/game/home-server.ts';
import { Player } from '../support/game/player.ts';
import { openSocket, seatOf } from '../support/machine/raw-socket.ts';

let server: HomeServer;
const start = async (bounds: Partial<RoomBounds>, more: Partial<GameServerOptions> = {}): Promise<void> => {
  server = await startHomeServer({ bounds: { ...limits.rooms, ...bounds }, ...more });
};
afterEach(() => server.close());

const join = async (sub: string): Promise<Player> => Player.join(await server.client(sub));
const rates = (count: number) => ({
  messages: createRateLimit({ count, perMs: 60_000 }),
  joins: createRateLimit({ count, perMs: 60_000 }),
  badTokens: createRateLimit({ count, perMs: 60_000 }),
});

it('a player that sends too much is told how long to wait, on all devices, and stays', async () => {
  // Each device asks for the time when it joins.
  await start({}, { rates: rates(5) });
  const [one, two] = [await join('guest:alice'), await join('guest:alice')];
  const other = await join('guest:bob');

  const replies = [];
  for (const device of [one, two, one, two]) replies.push(await device.request('home:time', {}));

  expect(replies.map(({ type }) => type)).toEqual(['reply', 'reply', 'reply', 'rejection']);
  expect(replies[3]?.message).toEqual({
    code: 'rate/limited',
    params: { retryAfterMs: expect.any(Number) },
    retryable: true,
  });
  expect(await one.request('home:time', {})).toMatchObject({ type: 'rejection' });
  expect(await other.request('home:time', {})).toMatchObject({ type: 'reply' });
});

it.each([14, 15, 300, 1300])('a message with a value of %i levels is refused as what it is', async (depth) => {
  await start({});
  const alice = await join('guest:alice');
  const petId = Array.from({ length: depth }).reduce((inner: unknown) => [inner], 1);
  const refused = { code: 'command/invalid', params: { faults: expect.anything() }, retryable: false };

  expect(await alice.request('home:feed', { petId })).toMatchObject({ type: 'rejection', message: refused });
  alice.room.send('home:feed', { petId } as never);

  const frame = await alice.sawFrame(({ type }) => type === 'home:rejected');
  expect(frame.message).toEqual(refused);
  expect(await alice.request('home:time', {})).toMatchObject({ type: 'reply' });
});

it('a connection that floods is let go', async () => {
  await start({ framesPerSecond: 20 });
  const { room } = await join('guest:alice');
  const left = new Promise<number>((resolve) => room.onLeave(resolve));

  for (let n = 0; n < 60; n++) room.send('home:time', undefined);

  expect(await left).toBe(4002);
});

it('a player that joins too often has to wait', async () => {
  await start({}, { rates: rates(2) });
  await join('guest:alice');
  await join('guest:alice');

  await expect(join('guest:alice')).rejects.toThrow('rate/limited');
  await join('guest:bob');
});

it('a player has no more devices than allowed, and one that leaves makes room', async () => {
  await start({ devicesPerPlayer: 2 });
  const first = await join('guest:alice');
  await join('guest:alice');

  await expect(join('guest:alice')).rejects.toThrow('devices/limit');
  await first.room.leave();
  await join('guest:alice');
});

it('a device whose place was taken while it was away cannot reconnect, but joins when there is a place', async () => {
  await start({ devicesPerPlayer: 1 });
  const { room } = await join('guest:alice');
  room.reconnection.minUptime = 0;
  const reconnect = room.connection.reconnect.bind(room.connection);
  const mayReconnect = Promise.withResolvers<void>();
  room.connection.reconnect = (options) => void mayReconnect.promise.then(() => reconnect(options));
  const gone = new Promise<void>((resolve) => room.onDrop(() => resolve()));
  const told = new Promise<string | undefined>((resolve) => {
    room.onReconnect(() => resolve('it is back'));
    room.onError((_code, message) => resolve(message));
  });
  const left = new Promise<number>((resolve) => room.onLeave(resolve));
  room.connection.close();
  await gone;
  const other = await join('guest:alice');

  mayReconnect.resolve();

  expect(await told).toBe('devices/limit');
  expect(await left).toBe(4003);
  expect(await other.request('home:time', {})).toMatchObject({ type: 'reply' });
  expect(matchMaker.getLocalRoomById(room.roomId).clients).toHaveLength(1);
  await other.room.leave();
  // Nothing of the refused one is left.
  await vi.waitFor(() => expect(matchMaker.getLocalRoomById(room.roomId)).toBeUndefined());
  await join('guest:alice');
  expect(server.faults).toEqual([]);
});

it('a process has no more homes than allowed, and one that closes makes room', async () => {
  await start({ rooms: 1 });
  const { room } = await join('guest:alice');
  await expect(join('guest:bob')).rejects.toThrow('server/unavailable');

  await room.leave();

  await vi.waitFor(() => join('guest:bob'));
});

it('a client that never acknowledges its join is let go, and is not heard before', async () => {
  await start({ joinMs: 500 });
  const asked = vi.spyOn(server.homes, 'now');
  const { answer, socket } = await openSocket(server.address, await seatOf(server, 'guest:alice'));
  expect(answer).toBe(101);
  // The server's word on the join: from here on it reads.
  await once(socket, 'data');
  // `home:time` as a plain message, masked with zeroes: it would be answered.
  const name = Buffer.from('home:time');
  const frame = Buffer.concat([Buffer.from([13, 0xa0 + name.length]), name]);
  socket.write(Buffer.concat([Buffer.from([0x82, 0x80 + frame.length, 0, 0, 0, 0]), frame]));

  await once(socket.resume(), 'close');

  expect(asked).not.toHaveBeenCalled();
});

it('what one client asks to read is read one after the other, and holds up nobody else', async () => {
  await start({});
  const [alice, bob] = [await join('guest:alice'), await join('guest:bob')];
  const sync = server.homes.sync.bind(server.homes);
  const [begun, held] = [[] as string[], Promise.withResolvers<void>()];
  server.homes.sync = async (playerId, cursor) => {
    begun.push(playerId);
    if (playerId === 'guest:alice') await held.promise;
    return sync(playerId, cursor);
  };

  const asked = [1, 2, 3].map(() => alice.request('home:sync', { afterSeq: 0 }));
  await alice.request('home:time', {});
  expect(await bob.request('home:sync', { afterSeq: 0 })).toMatchObject({ type: 'reply' });
  expect(begun).toEqual(['guest:alice', 'guest:bob']);
  held.resolve();

  expect(await Promise.all(asked)).toMatchObject([{ type: 'reply' }, { type: 'reply' }, { type: 'reply' }]);
});

it('a client that reads nothing is let go when too much waits for it', async () => {
  await start({ unreadBytes: 1_000_000 });
  const seat = await seatOf(server, 'guest:alice');
  const { socket } = await openSocket(server.address, seat);
  (socket as Socket).pause();
  const room = matchMaker.getLocalRoomById(seat.roomId);
  await vi.waitFor(() => expect(room.clients).toHaveLength(1));

  room.clients[0]?.raw(Buffer.alloc(20_000_000));

  await vi.waitFor(() => expect(room.clients).toHaveLength(0), { timeout: 5_000 });
  socket.destroy();
});

it('a client gets a home that is larger than the bound, and is let go when as much waits later', async () => {
  await start({ unreadBytes: 1_000_000 });
  const seat = await seatOf(server, 'guest:alice');
  const { socket } = await openSocket(server.address, seat);
  const room = matchMaker.getLocalRoomById(seat.roomId);
  await vi.waitFor(() => expect(room.clients[0]?.state).toBe(ClientState.JOINING));
  const [client] = room.clients as unknown as [Room['clients'][number]];
  let waiting = 0;
  Object.defineProperty(client.ref, 'bufferedAmount', {
    get: () => (client.state === ClientState.JOINING ? 0 : waiting),
  });
  const inside = room as unknown as { _onMessage(client: unknown, frame: Uint8Array): void };
  const time = Uint8Array.from([Protocol.ROOM_DATA, 0xa9, ...Buffer.from('home:time')]);
  const frame = (bytes: Uint8Array, waits: number): boolean => {
    waiting = waits;
    inside._onMessage(client, bytes);
    return (client.ref as unknown as { readonly readyState: number }).readyState === 1;
  };
  expect(frame(Uint8Array.from([Protocol.JOIN_ROOM]), 3_000_000)).toBe(true);
  expect(frame(time, 3_900_000)).toBe(true);
  expect(frame(time, 0)).toBe(true);
  expect(frame(time, 1_100_000)).toBe(false);
  socket.destroy();
});

it.each([
  ['throws', (message: string) => void (message.startsWith('a message') && JSON.parse('{'))],
  ['is async and rejects', (message: string) => message.startsWith('a message') && Promise.reject(null)],
])('an onFault of the game that %s ends nothing: the client gets its answer', async (_what, onFault) => {
  await start({}, { onFault: onFault as OnFault });
  const alice = await join('guest:alice');
  server.homes.now = () => Promise.reject(new Error('away'));
  expect(await alice.request('home:time', {})).toMatchObject({ type: 'fault' });
});

it('a connection ends with its token, which no join accepts from then on', async () => {
  await start({});
  const client = new Client(server.address);
  // The tolerance for the issuer's clock.
  const endsAtS = Math.floor(Date.now() / 1_000) + ISSUERS_CLOCK_S;
  client.auth.token = await new SignJWT({ sub: 'alice' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(endsAtS - ISSUERS_CLOCK_S)
    .sign(new TextEncoder().encode(TEST_SECRET));
  const device = await Player.join(client);

  const code = await new Promise<number>((resolve) => device.room.onLeave(resolve));

  expect(code).toBe(4401);
  expect(Date.now()).toBeGreaterThanOrEqual(endsAtS * 1_000);
  await expect(Player.join(client)).rejects.toThrow('auth/expired');
});
