import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTokens } from '../../server/room/tokens.ts';

const SECRET = 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe';
const key = new TextEncoder().encode(SECRET);
const issuer = { jwtSecret: SECRET, jwtIssuer: 'https://id.example', jwtAudience: 'game' };
const claims = { sub: 'alice', iss: 'https://id.example', aud: 'game', exp: 4_000_000_000 };
const guest = { sub: 'guest:1', iss: 'kibble-guest', exp: 4_000_000_000 };

const signed = (payload: JWTPayload, algorithm = 'HS256', secret: Parameters<SignJWT['sign']>[0] = key) =>
  new SignJWT(payload).setProtectedHeader({ alg: algorithm }).sign(secret);

describe('a guest', () => {
  const tokens = createTokens(issuer, () => 'name-1');

  it('gets a token of its own that lasts 180 days', async () => {
    const identity = await tokens.verify(await tokens.signGuest());

    expect(identity).toMatchObject({ sub: 'guest:name-1', iss: 'kibble-guest', isGuest: true });
    expect(Number(identity.claims.exp) - Number(identity.claims.iat)).toBe(180 * 86_400);
  });

  it('keeps its name when the token is renewed', async () => {
    expect(await tokens.verify(await tokens.signGuest('guest:7'))).toMatchObject({ sub: 'guest:7' });
  });

  it.each<[string, JWTPayload]>([
    ['of another issuer', { ...claims, sub: 'guest:1' }],
    ['without an issuer', { sub: 'guest:1', exp: guest.exp }],
    ['that is no guest', { ...guest, sub: 'alice' }],
    ['without an end', { sub: 'guest:1', iss: 'kibble-guest' }],
    ['without a name', { iss: 'kibble-guest', exp: guest.exp }],
  ])('%s is refused', async (_what, payload) => {
    await expect(tokens.verify(await signed(payload))).rejects.toMatchObject({ code: 'auth/refused' });
  });

  it('is not made where there is no secret', async () => {
    const without = createTokens({ jwtSecret: undefined, jwtIssuer: 'kibble-guest' }, () => 'x');

    expect(await without.signGuest()).toBeUndefined();
    await expect(without.verify(await signed(guest))).rejects.toMatchObject({ code: 'auth/refused' });
  });
});

describe('a token of the configured issuer', () => {
  const tokens = createTokens(issuer, () => 'x');

  it('says who the player is', async () => {
    expect(await tokens.verify(await signed({ ...claims, team: 'red' }))).toMatchObject({
      sub: 'alice',
      isGuest: false,
      claims: { team: 'red' },
    });
  });

  it('is accepted from an issuer whose clock is a little ahead', async () => {
    const nbf = Math.ceil(Date.now() / 1000) + 3;
    expect(await tokens.verify(await signed({ ...claims, nbf }))).toMatchObject({ sub: 'alice' });
  });

  it.each<[string, string, () => string | Promise<string>]>([
    ['has expired', 'auth/expired', () => signed({ ...claims, exp: 1 })],
    ['is of another issuer', 'auth/refused', () => signed({ ...claims, iss: 'https://evil.example' })],
    ['is for another audience', 'auth/refused', () => signed({ ...claims, aud: 'shop' })],
    ['is signed by another secret', 'auth/refused', () => signed(claims, 'HS256', new Uint8Array(32))],
    ['is not signed', 'auth/refused', () => new UnsecuredJWT(claims).encode()],
    ['names no text', 'auth/refused', () => signed({ ...claims, sub: ['alice'] as never })],
    ['is no token', 'auth/refused', () => 'garbage'],
    ['is empty', 'auth/missing', () => ''],
  ])('that %s is refused: %s', async (_what, code, token) => {
    await expect(tokens.verify(await token())).rejects.toMatchObject({ code });
  });

  it('may name any issuer or none when none is configured, but never that of guests', async () => {
    const open = createTokens({ jwtSecret: SECRET }, () => 'x');

    expect(await open.verify(await signed(claims))).toMatchObject({ sub: 'alice', isGuest: false });
    expect(await open.verify(await signed({ sub: 'alice', exp: claims.exp }))).toMatchObject({ sub: 'alice' });
    for (const forged of [{ sub: 'guest:7' }, { sub: 'alice', iss: 'kibble-guest' }]) {
      await expect(open.verify(await signed({ ...forged, exp: claims.exp }))).rejects.toMatchObject({
        code: 'auth/refused',
      });
    }
  });
});

describe('with a key set', () => {
  let server: Server;
  let isAway = false;
  let pair: Awaited<ReturnType<typeof generateKeyPair>>;
  let jwksUrl: string;

  beforeAll(async () => {
    pair = await generateKeyPair('ES256');
    const keys = [{ ...(await exportJWK(pair.publicKey)), alg: 'ES256' }];
    server = createServer((_request, response) => {
      response.writeHead(isAway ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });

  afterAll(() => {
    server.close();
  });

  it('takes what the set has signed, and nothing that the secret has signed but guests', async () => {
    const tokens = createTokens({ ...issuer, jwksUrl }, () => 'x');

    expect(await tokens.verify(await signed(claims, 'ES256', pair.privateKey))).toMatchObject({ sub: 'alice' });
    expect(await tokens.verify(await tokens.signGuest())).toMatchObject({ isGuest: true });
    await expect(tokens.verify(await signed(claims))).rejects.toMatchObject({ code: 'auth/refused' });
    await expect(tokens.verify(await signed(guest, 'ES256', pair.privateKey))).rejects.toMatchObject({
      code: 'auth/refused',
    });
  });

  it('takes what known keys have signed while the issuer does not answer, and blames no token of an unknown key', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    onTestFinished(() => {
      isAway = false;
      vi.useRealTimers();
    });
    const tokens = createTokens({ ...issuer, jwksUrl }, () => 'x');
    const token = await signed(claims, 'ES256', pair.privateKey);
    await tokens.verify(token);
    isAway = true;
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await tokens.verify(token)).toMatchObject({ sub: 'alice' });
    const other = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'new' }).sign(pair.privateKey);
    await expect(tokens.verify(other)).rejects.not.toHaveProperty('code', 'auth/refused');
  });

  it('blames no token when the set cannot be fetched', async () => {
    const tokens = createTokens({ ...issuer, jwksUrl }, () => 'x');
    isAway = true;

    const refusal = tokens.verify(await signed(claims, 'ES256', pair.privateKey));

    await expect(refusal).rejects.not.toHaveProperty('code', 'auth/refused');
  });
});
