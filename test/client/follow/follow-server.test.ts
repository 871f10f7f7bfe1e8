import { Client } from '@colyseus/sdk';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FollowOptions, followHome, type HomeFollower } from '../../../client/follow/follow-home.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';
import type { Command } from '../../../shared/protocol.ts';
import { type HomeServer, startHomeServer } from '../../support/game/home-server.ts';
import { type Relay, startRelay } from '../../support/machine/relay.ts';
import { prove } from '../../support/properties/prove.ts';

/** A way to a server on which so many bytes a second reach the client, as on a bad line. */
const slowNetwork = (serverUrl: string, bytesPerSecond: number): Promise<Relay> =>
  startRelay(serverUrl, (client, server) => {
    client.pipe(server);
    server.on('data', (chunk) => {
      server.pause();
      client.write(chunk);
      setTimeout(() => server.resume(), (chunk.length / bytesPerSecond) * 1000);
    });
    server.on('close', () => client.destroy());
  });

let server: HomeServer;

beforeEach(async () => {
  server = await startHomeServer();
});

afterEach(async () => {
  await server.close();
});

interface Watched {
  readonly follower: HomeFollower;
  readonly events: HomeEvent[];
}

const follow = (client: Client, options: Partial<FollowOptions> = {}): Watched => {
  const events: HomeEvent[] = [];
  const follower = followHome({ client, onEvents: (more) => events.push(...more), ...options });
  onTestFinished(() => follower.close());
  return { follower, events };
};

const isOnline = (follower: HomeFollower): Promise<void> =>
  vi.waitFor(() => expect(follower.connection.phase).toBe('online'), { timeout: 10_000, interval: 5 });

/** As a dead network: the socket is gone without a word. */
const cutOff = (sockets: readonly WebSocket[]): void => sockets.at(-1)?.close();

/** The SDK's `Client` with its sockets in our hands. */
const clientWithSockets = (address: string) => {
  const client = new Client(address);
  const sockets: WebSocket[] = [];
  const join = client.joinOrCreate.bind(client);
  client.joinOrCreate = (async (name: string, options: object) => {
    const room = await join(name, options);
    sockets.push((room.connection.transport as unknown as { readonly ws: WebSocket }).ws);
    return room;
  }) as typeof client.joinOrCreate;
  return { client, sockets };
};

describe('on real sockets, with the SDK', () => {
  it('a guest plays, and sees the home, the events and the server’s time', async () => {
    const { follower, events } = follow(new Client(server.address));
    const { petId = '' } = await follower.adopt('Rex', 'dog');
    const fed = await follower.feed(petId, 'dog-food');
    await follower.useCard({ petId, card: 'auto-feed', count: 2 });
    expect(follower.home?.items).toMatchObject({ 'dog-food': 9, 'auto-feed': 1 });
    expect(follower.home?.things.pets?.[petId]).toMatchObject({
      id: petId,
      version: 1,
      dueAt: fed.dueAt,
      state: { name: 'Rex', feeding: { food: 'dog-food' }, armed: [{ card: 'auto-feed', left: 2 }] },
    });
    expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
    await expect.poll(() => follower.nowMs()).toBeDefined();
    expect(Math.abs((follower.nowMs() ?? 0) - server.homes.nowMs)).toBeLessThan(5_000);
    expect((await follower.quote('home:stop', { petId }))?.events).toMatchObject([
      { type: 'feeding-stopped', items: { 'auto-feed': 2 } },
    ]);
    await expect(follower.feed(petId, 'dog-food')).rejects.toMatchObject({ rejection: { code: 'pet/eating' } });
  });

  it('comes back behind a cut, sends what was on its way again, and misses nothing', async () => {
    const { client, sockets } = clientWithSockets(server.address);
    const { follower, events } = follow(client);
    const { petId = '' } = await follower.adopt('Rex', 'dog');
    const held = Promise.withResolvers<void>();
    server.homes.before = (act) => (act === 'handle' ? held.promise : undefined);
    const fed = follower.feed(petId, 'dog-food');
    cutOff(sockets);
    held.resolve();
    expect((await fed).seq).toBe(3);
    await isOnline(follower);
    await follower.useCard({ petId, card: 'speed-up' });
    expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
    expect(server.homes.log(follower.home?.playerId ?? '')).toHaveLength(4);
    expect(sockets).toHaveLength(2);
  });

  it('tells what another device did while this one was cut off', async () => {
    const { client, sockets } = clientWithSockets(server.address);
    const missed: HomeEvent[] = [];
    const { follower } = follow(client, {
      onEvents: (events, isMissed) => {
        if (isMissed) missed.push(...events);
      },
    });
    const { petId = '' } = await follower.adopt('Rex', 'dog');
    const looks = Promise.withResolvers<void>();
    server.homes.before = (act) => (act === 'look' ? looks.promise : undefined);
    cutOff(sockets);
    server.homes.elsewhere(follower.home?.playerId ?? '', [{ type: 'home:feed', petId, food: 'dog-food' }]);
    looks.resolve();
    await vi.waitFor(() => expect(missed.map((event) => event.type)).toEqual(['feeding-started']), { timeout: 10_000 });
  });

  it('tells a slow reader everything that was done meanwhile, in order', async (context) => {
    const network = await slowNetwork(server.address, 30_000);
    onTestFinished(() => network.stop());
    const { follower, events } = follow(new Client(network.url));
    await follower.adopt('Rex', 'dog');
    const { playerId = '' } = follower.home ?? {};
    const gift: Command = {
      type: 'home:grant',
      items: { 'dog-food': 1 },
      reason: 'because it takes long to read '.repeat(4),
    };
    for (let count = 0; count < 200; count += 1) {
      await server.homes.handle([{ playerId, commandId: `gift-${count}`, command: gift }]);
    }
    const all = server.homes.log(playerId).map(({ seq }) => seq);
    expect(events.length).toBeLessThan(all.length);
    await vi.waitFor(() => expect(events.at(-1)?.seq).toBe(all.at(-1)), { timeout: 15_000 });
    expect(events.map(({ seq }) => seq)).toEqual(all);
    prove(context, { row: 16, tries: 1, of: 'slow readers' });
  });

  it('goes to the next server when its own is shut down, as whom it was', async () => {
    const client = new Client(server.address);
    const { follower } = follow(client);
    await follower.adopt('Rex', 'dog');
    const { playerId } = follower.home ?? {};
    const gone = server;
    await gone.close();
    server = await startHomeServer();
    client.settings.port = Number(new URL(server.address).port);
    await vi.waitFor(() => expect(follower.home?.seq).toBe(0), { timeout: 10_000 });
    expect(follower.home?.playerId).toBe(playerId);
    expect((await follower.adopt('Mia', 'cat')).seq).toBe(2);
  });

  it('says so when its token is refused, and begins anew only when told', async () => {
    const client = new Client(server.address);
    const { follower } = follow(client, { tokens: { load: () => 'not.a.token', save: () => undefined } });
    await expect.poll(() => follower.connection).toEqual({ phase: 'refused', code: 'auth/refused' });
    follower.signInAnew();
    await isOnline(follower);
    expect(follower.home?.playerId).toMatch(/^guest:/);
  });
});
