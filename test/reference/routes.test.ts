import { Client } from '@colyseus/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HomeServer, startHomeServer } from '../support/game/home-server.ts';
import { Player } from '../support/game/player.ts';

let server: HomeServer;

beforeEach(async () => {
  server = await startHomeServer();
});

afterEach(async () => {
  await server.close();
});

describe('guest sign-in', () => {
  it('lets a new player in with nothing but the SDK', async () => {
    const client = new Client(server.address);
    const { user } = await client.auth.signInAnonymously();

    expect(user).toEqual({ anonymous: true });
    expect((await Player.join(client)).room.state.playerId).toMatch(/^guest:/);
  });

  it('ignores everything that the client says about itself', async () => {
    const client = new Client(server.address);
    await client.auth.signInAnonymously({ sub: 'victim', iss: 'kibble-guest', exp: 1, id: 'victim' });

    const identity = await server.tokens.verify(client.auth.token);
    expect(identity.sub).toMatch(/^guest:/);
    expect(Object.keys(identity.claims).sort()).toEqual(['exp', 'iat', 'iss', 'jti', 'sub']);
  });

  it.each(['{"options":', '[]', '"text"', ''])('needs no body that it could read: %s', async (body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.address}/auth/anonymous`, { method: 'POST', headers, body });

    expect(response.status).toBe(200);
  });
});

describe('health', () => {
  it('says that the process is alive', async () => {
    expect((await fetch(`${server.address}/livez`)).status).toBe(200);
  });

  it.each([
    ['ready', [], 200, { ready: true, degraded: [] }],
    ['ready without Redis', ['redis'], 200, { ready: true, degraded: ['redis'] }],
    ['not ready', undefined, 503, { ready: false }],
  ])('says that it is %s', async (_what, degraded, status, body) => {
    server.health.degraded = degraded;

    const response = await fetch(`${server.address}/readyz`);

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual(body);
  });
});

it('says at the front door what runs here', async () => {
  const response = await fetch(`${server.address}/`);

  expect(response.headers.get('content-type')).toMatch('text/html');
  expect(await response.text()).toMatch('Kibble is running');
});
