import { matchMaker } from '@colyseus/core';
import { decodeJwt, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { playerKey, tokenKey } from '../../server/home/revocations.ts';
import { RevokedTokens } from '../../server/room/home-auth.ts';
import { type HomeServer, revokedList, startHomeServer, TEST_SECRET } from '../support/game/home-server.ts';
import { Player, signIn } from '../support/game/player.ts';

let server: HomeServer;
let revoked: ReturnType<typeof revokedList>;
beforeEach(async () => {
  revoked = revokedList();
  server = await startHomeServer({ revoked });
});
afterEach(() => server.close());

const joinWith = async (token: string): Promise<Player> => {
  return Player.join(await signIn(server.address, token));
};
const leftOf = (device: Player): Promise<number> => new Promise((resolve) => device.room.onLeave(resolve));
const tokenTold = async (device: Player): Promise<string> => {
  const { message } = await device.sawFrame(({ type }) => type === 'home:token');
  return (message as { readonly token: string }).token;
};
const refused = /auth\/refused/;
const laterMs = (): number => Date.now() + 60_000;

it('a revoked guest is let go, and comes back neither with the old token nor with a renewed one', async () => {
  const token = (await server.tokens.signGuest('guest:alice')) ?? '';
  const [alice, bob] = [await joinWith(token), await Player.join(await server.client('guest:bob'))];
  const renewed = await tokenTold(alice);
  const left = leftOf(alice);

  revoked.revoke(playerKey('guest:alice'), Number(decodeJwt(token).iat) * 1_000);

  expect(await left).toBe(4401);
  for (const each of [token, renewed]) await expect(joinWith(each)).rejects.toThrow(refused);
  expect(await bob.request('home:time', {})).toMatchObject({ type: 'reply' });
});

it('a renewed token keeps the id and the time of the sign-in, however often it is renewed', async () => {
  const first = (await server.tokens.signGuest('guest:alice')) ?? '';
  const old = await server.tokens.verify(first);
  const past = { ...old, issuedAtMs: old.issuedAtMs - 86_400_000 };
  const second = await server.tokens.verify(await server.tokens.signGuest('guest:alice', past));
  const third = await server.tokens.verify(await server.tokens.signGuest('guest:alice', second));

  expect(third).toMatchObject({ tokenId: old.tokenId, issuedAtMs: past.issuedAtMs });
  expect(old.tokenId).toEqual(expect.any(String));
});

it('one revoked token takes its connection along, and no other of the same player', async () => {
  const sign = (tokenId: string): Promise<string> =>
    new SignJWT({ sub: 'alice', jti: tokenId })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(TEST_SECRET));
  const [stolen, own] = [await joinWith(await sign('stolen')), await joinWith(await sign('own'))];
  const left = leftOf(stolen);

  revoked.revoke(tokenKey('stolen'), Number.MAX_SAFE_INTEGER);

  expect(await left).toBe(4401);
  await expect(joinWith(await sign('stolen'))).rejects.toThrow(refused);
  expect(await own.request('home:time', {})).toMatchObject({ type: 'reply' });
});

/** What becomes of a device that loses its connection; it does not reconnect before `mayReconnect`. */
const watch = ({ room }: Player) => {
  room.reconnection.minUptime = 0;
  const reconnect = room.connection.reconnect.bind(room.connection);
  const held = Promise.withResolvers<void>();
  room.connection.reconnect = (options) => void held.promise.then(() => reconnect(options));
  const told = new Promise<string>((resolve) => {
    room.onReconnect(() => resolve('it is back'));
    // The loss itself is an error without words.
    room.onError((_code, message) => message && resolve(message));
  });
  const serverRoom = matchMaker.getLocalRoomById(room.roomId);
  const [client] = serverRoom.clients;
  if (!client) throw new Error('the room is empty');
  const dropped = vi.spyOn(serverRoom, 'onDrop');
  const socket = client.ref as unknown as { close(): void; terminate(): void };
  return { serverRoom, client, socket, dropped, told, mayReconnect: held.resolve };
};

it('a client that does not answer the end of its connection does not come back by its reserved seat', async () => {
  const token = (await server.tokens.signGuest('guest:alice')) ?? '';
  const alice = await joinWith(token);
  await tokenTold(alice);
  const left = leftOf(alice);
  const { serverRoom, socket, dropped, told, mayReconnect } = watch(alice);
  mayReconnect();
  // As the server sees it when a client destroys its socket.
  vi.spyOn(socket, 'close').mockImplementation(() => socket.terminate());
  revoked.revoke(playerKey('guest:alice'), Number(decodeJwt(token).iat) * 1_000);
  expect(await told).not.toBe('it is back');
  expect(await left).toBe(4003);
  expect(dropped).toHaveBeenCalledOnce();
  expect(serverRoom.clients).toHaveLength(0);
});

it.each(['revoked', 'expired'])('a client whose token was %s while it was away does not come back', async (how) => {
  const token = await new SignJWT({ sub: 'alice' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(TEST_SECRET));
  const alice = await joinWith(token);
  const left = leftOf(alice);
  const { serverRoom, client, socket, dropped, told, mayReconnect } = watch(alice);
  socket.terminate();
  await vi.waitFor(() => expect(dropped).toHaveBeenCalledOnce());
  if (how === 'revoked') revoked.revoke(playerKey('alice'), laterMs());
  else Object.assign(client.auth, { endsAtMs: 0 });
  mayReconnect();
  expect(await told).toBe(how === 'revoked' ? 'auth/refused' : 'auth/expired');
  expect(await left).toBe(4003);
  await vi.waitFor(() => expect(serverRoom.clients).toHaveLength(0));
  expect(server.faults).toEqual([]);
});

it('a token without a time is as old as any; a newer one than the revocation is let in', async () => {
  revoked.revoke(playerKey('alice'), laterMs() - 120_000);
  const signed = new SignJWT({ sub: 'alice' }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h');
  const key = new TextEncoder().encode(TEST_SECRET);

  await expect(joinWith(await signed.sign(key))).rejects.toThrow(refused);
  const device = await joinWith(await signed.setIssuedAt().sign(key));

  expect(await device.request('home:time', {})).toMatchObject({ type: 'reply' });
});

it('nobody is let in while nobody can say what is revoked', async () => {
  await server.close();
  const isRevoked = () => Promise.reject(new Error('the database is away'));
  server = await startHomeServer({ revoked: { ...revoked, isRevoked } });
  await expect(joinWith((await server.tokens.signGuest('guest:alice')) ?? '')).rejects.toThrow(/server\/unavailable/);
});

it('what was looked up last is what rooms see, and each look says from when the next one counts', async () => {
  const looks: (number | undefined)[] = [];
  const tokens = new RevokedTokens({
    isRevoked: async () => false,
    recent: async (lookedAtMs) => {
      looks.push(lookedAtMs);
      return { nowMs: 1_000 + looks.length, revoked: [{ key: 'player:x', issuedUntilMs: 50 }] };
    },
  });
  const bearer = (issuedAtMs: number) => ({ keys: ['player:x', 'token:y'], issuedAtMs });
  expect(tokens.wasRevoked(bearer(0))).toBe(false);
  await tokens.tick();
  await tokens.tick();
  expect([0, 50, 51].map((ms) => tokens.wasRevoked(bearer(ms)))).toEqual([true, true, false]);
  expect(looks).toEqual([undefined, 1_001]);
});

it('what was revoked while this process could not read is seen for two minutes, whenever a room looks', async () => {
  let nowMs = 0;
  const revokedAtMs = 60_000;
  const minuteMs = 60_000;
  const tokens = new RevokedTokens({
    isRevoked: async () => false,
    // As the store does.
    recent: async (lookedAtMs = nowMs) => ({
      nowMs,
      revoked:
        nowMs >= revokedAtMs && revokedAtMs >= Math.min(nowMs, lookedAtMs) - 5 * minuteMs
          ? [{ key: 'player:ann', issuedUntilMs: 50 }]
          : [],
    }),
  });
  const readFor = async (ms: number): Promise<boolean[]> => {
    const seen: boolean[] = [];
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 500) {
      await tokens.tick();
      seen.push(tokens.wasRevoked({ keys: ['player:ann'], issuedAtMs: 0 }));
    }
    return seen;
  };
  expect(await readFor(30_000)).not.toContain(true);
  nowMs = 10 * minuteMs;
  expect(await readFor(119_000)).not.toContain(false);
  expect((await readFor(2 * minuteMs)).at(-1)).toBe(false);
});
