// Row 19 of the promises: only a valid token decides a client's identity.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { playerKey, tokenKey } from '../../server/home/revocations.ts';
import { createTokens } from '../../server/room/tokens.ts';
import { type HomeServer, revokedList, startHomeServer, TEST_SECRET } from '../support/game/home-server.ts';
import { requestText, sendRaw, statusOf } from '../support/machine/raw-http.ts';
import { openSocket, seatOf } from '../support/machine/raw-socket.ts';
import { prove } from '../support/properties/prove.ts';
import { badTokens } from './support/bad-tokens.ts';

let server: HomeServer;
let revoked: ReturnType<typeof revokedList>;
const issuer = { jwtSecret: TEST_SECRET, jwtIssuer: 'https://id.example', jwtAudience: 'game' };

beforeEach(async () => {
  revoked = revokedList();
  server = await startHomeServer({ tokens: createTokens(issuer, () => 'somebody'), revoked });
});
afterEach(() => server.close());

const join = (token: string, body = '{}', method = 'joinOrCreate/home'): Promise<string> =>
  sendRaw(server.address, requestText(`POST /matchmake/${method}`, { Authorization: `Bearer ${token}` }, body));

/** Good ones, but for what an operator has said. */
const revokedTokens = async (): Promise<readonly (readonly [string, string])[]> => {
  const sign = (claims: object): Promise<string> =>
    new SignJWT({ iss: 'https://id.example', aud: 'game', exp: 4_000_000_000, ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(TEST_SECRET));
  revoked.revoke(tokenKey('stolen'), Number.MAX_SAFE_INTEGER);
  revoked.revoke(playerKey('carol'), 2_000);
  return [
    ['a revoked one', await sign({ sub: 'alice', jti: 'stolen' })],
    ['one from before all of its player were revoked', await sign({ sub: 'carol', jti: 'new', iat: 2 })],
  ];
};

it('no bad token is let in', async (context) => {
  const tokens = new Map([...(await badTokens(TEST_SECRET)), ...(await revokedTokens())]);
  const accepted: string[] = [];

  for (const [what, token] of tokens) {
    const answer = await join(token);
    if (statusOf(answer) === 200 || !/auth\/(refused|missing|expired)/.test(answer))
      accepted.push(`${what}: ${answer}`);
  }

  console.info(`bad tokens: ${tokens.size}, accepted ${accepted.length}`);
  expect(tokens.size).toBeGreaterThanOrEqual(60);
  expect(accepted).toEqual([]);
  expect(server.faults).toEqual([]);
  const good = { sub: 'alice', iss: 'https://id.example', aud: 'game', exp: 4_000_000_000 };
  const token = await new SignJWT(good)
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(TEST_SECRET));
  expect(statusOf(await join(token))).toBe(200);
  prove(context, { row: 19, tries: tokens.size, of: 'bad tokens' });
});

it('no token that the secret has signed is let in where a key set signs, nor one signed with its public key', async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const keys = createServer(
    (_request, response) => void response.end(JSON.stringify({ keys: [{ ...jwk, alg: 'RS256' }] })),
  );
  await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
  const jwksUrl = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`;
  const tokens = createTokens({ ...issuer, jwksUrl }, () => 'somebody');
  const claims = { sub: 'alice', iss: 'https://id.example', aud: 'game', exp: 4_000_000_000 };
  const confused = await Promise.all(
    [TEST_SECRET, JSON.stringify(jwk), String(jwk.n), JSON.stringify({ keys: [jwk] })].map((secret) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret)),
    ),
  );

  for (const token of [...confused, ...(await badTokens(TEST_SECRET)).values()]) {
    await expect(tokens.verify(token)).rejects.toMatchObject({ name: 'TokenRefused' });
  }
  const good = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(pair.privateKey);
  expect(await tokens.verify(good)).toMatchObject({ sub: 'alice' });
  keys.close();
});

it.for([
  { sub: 'alice' },
  { sub: 'guest:alice', iss: 'kibble-guest', exp: 1 },
  { playerId: 'alice', id: 'alice', user: { sub: 'alice' } },
  // In a literal it would be no key.
  JSON.parse('{"__proto__":{"sub":"alice"}}') as object,
  { options: { sub: 'alice', exp: 9_999_999_999 }, token: 'x' },
])('what a guest says of itself changes nothing: %j', async (options, context) => {
  const answer = await sendRaw(
    server.address,
    requestText('POST /auth/anonymous', { 'Content-Type': 'application/json' }, JSON.stringify(options)),
  );
  const [, token = ''] = /"token":"([^"]+)"/.exec(answer) ?? [];

  const { claims } = await server.tokens.verify(token);

  expect(claims).toEqual({
    sub: 'guest:1',
    iss: 'kibble-guest',
    jti: expect.any(String),
    iat: expect.any(Number),
    exp: expect.any(Number),
  });
  expect(Number(claims.exp) - Number(claims.iat)).toBe(180 * 86_400);
  prove(context, { row: 19, tries: 1, of: 'claims smuggled through the guest sign-in' });
});

it.each(['playerId', 'sub', 'auth', 'sessionId', 'roomId', 'guest', '__proto__'])(
  'the option %s of a join chooses no other home',
  async (option) => {
    const alice = await seatOf(server, 'guest:alice');
    const token = (await server.tokens.signGuest('guest:mallory')) ?? '';

    const answer = await join(token, `{"${option}":"guest:alice","auth":{"playerId":"guest:alice"}}`);

    expect(answer).toMatch('"roomId"');
    expect(answer).not.toContain(alice.roomId);
    expect(answer).not.toContain(alice.sessionId);
  },
);

it('a seat is taken once, and only with its own session', async (context) => {
  const alice = await seatOf(server, 'guest:alice');
  const mallory = await seatOf(server, 'guest:mallory');
  let tried = 0;
  const first = await openSocket(server.address, alice);
  expect(await firstCodeOf(first.socket)).toBe(JOIN_ROOM);

  for (const seat of [alice, { ...alice, sessionId: mallory.sessionId }, { ...mallory, sessionId: alice.sessionId }]) {
    const again = await openSocket(server.address, seat);
    expect(await firstCodeOf(again.socket)).toBe(ERROR);
    again.socket.destroy();
    tried += 1;
  }
  for (const method of ['joinById', 'create', 'join', 'reconnect']) {
    const token = (await server.tokens.signGuest('guest:mallory')) ?? '';
    const answer = await join(
      token,
      JSON.stringify({ reconnectionToken: alice.sessionId }),
      `${method}/${alice.roomId}`,
    );
    expect(answer).not.toContain('"sessionId"');
    tried += 1;
  }
  first.socket.destroy();
  prove(context, { row: 19, tries: tried, of: 'joins by id and reused seats' });
});

const JOIN_ROOM = 10;
const ERROR = 11;

/** The code of the first message that comes: behind the two or four bytes of the frame's head. */
const firstCodeOf = (socket: NodeJS.ReadableStream): Promise<number | undefined> =>
  new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk[1] === 126 ? chunk[4] : chunk[2]));
  });
