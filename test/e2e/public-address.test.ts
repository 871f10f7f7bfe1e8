import type { Client } from '@colyseus/sdk';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { ServerProcess } from '../../examples/support/server-process.ts';
import { Fleet } from '../support/game/fleet.ts';
import { joinHome, signIn } from '../support/game/player.ts';

let fleet: Fleet;

const gateways = ['gateway-1', 'gateway-2'];
const players = async (): Promise<readonly Client[]> =>
  Promise.all(Array.from({ length: 8 }, () => signIn(fleet.balancer.address)));

describe.skipIf(!inject('redisUrl'))('two gateways behind one address that sends each connection to the next', () => {
  beforeAll(async () => {
    fleet = await Fleet.open();
  }, 60_000);

  afterAll(() => fleet.close());

  it('are not told apart by clients without PUBLIC_ADDRESS, and say so', { timeout: 90_000 }, async () => {
    const servers: ServerProcess[] = [];
    for (const name of gateways) servers.push(await fleet.start(name, { PUBLIC_ADDRESS: '' }));

    const client = await signIn(fleet.balancer.address);
    // The token came from one gateway, the seat from the next; the WebSocket goes on to the one after that.
    await expect(client.joinOrCreate('home')).rejects.toThrow('seat reservation expired');

    await vi.waitFor(() => {
      expect(servers.map((server) => server.said()).join('')).toContain('PUBLIC_ADDRESS must say for each of them');
    }, 10_000);
    for (const name of gateways) expect(await fleet.stop(name)).toBe(0);
  });

  it('get each client that they gave a seat to, with PUBLIC_ADDRESS', { timeout: 90_000 }, async () => {
    for (const name of gateways) await fleet.start(name);

    for (const client of await players()) {
      const player = await joinHome(fleet.balancer.address, { token: client.auth.token ?? '' });
      expect(await player.ask('home:adopt', { name: 'Rex', species: 'dog' })).toMatchObject({ seq: 2 });
      await player.room.leave();
    }
    for (const name of gateways) expect(fleet.balancer.sockets.get(name)).toBeGreaterThan(1);
  });
});
