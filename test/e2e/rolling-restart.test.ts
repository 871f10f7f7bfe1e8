import { CloseCode } from '@colyseus/sdk';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { HomeEvent } from '../../shared/pets/protocol.ts';
import { tries } from '../proof/table/tries.ts';
import { Fleet } from '../support/game/fleet.ts';
import { joinHome, RestlessPlayer, signIn } from '../support/game/player.ts';
import { prove } from '../support/properties/prove.ts';

/** A meal takes a quarter of a second, and nothing runs out. */
const rules = {
  starter: { items: { 'dog-food': 100_000, 'auto-feed': 100_000, 'speed-up': 100_000, boost: 100_000 } },
  foods: { 'dog-food': { workMs: 250, xp: 1 } },
  cards: {
    'speed-up': { effect: 'cut', workMs: 50 },
    boost: { effect: 'rate', rate: 2, lastsMs: 100 },
    'auto-feed': { effect: 'repeat', times: 1 },
  },
};
const PLAYERS = tries({ test: 10, proof: 20 });

let fleet: Fleet;
let pool: Pool;

interface Logged {
  readonly player_id: string;
  readonly seq: number;
  readonly command_id: string | null;
}

/** The logs by their first commands: players know their own names only by those. */
const logsOf = async (players: readonly RestlessPlayer[]): Promise<readonly (readonly Logged[])[]> => {
  const { rows } = await pool.query<Logged>(
    'select player_id, seq::int, command_id from kibble.event order by player_id, seq',
  );
  const byPlayer = Map.groupBy(rows, (row) => row.player_id);
  return players.map((player) => byPlayer.get(playerIdOf(player.seen)) ?? []);
};

const playerIdOf = (seen: readonly HomeEvent[]): string => {
  const adopted = seen.find((event) => event.type === 'pet-adopted');
  return (adopted as { readonly petId: string } | undefined)?.petId.split('~')[0] ?? '';
};

/** All play while `meanwhile` goes on; then what they saw is compared with what the database has. */
const playThrough = async (count: number, meanwhile: (players: readonly RestlessPlayer[]) => Promise<void>) => {
  const players = await Promise.all(Array.from({ length: count }, () => RestlessPlayer.signIn(fleet.balancer.address)));
  let isOver = false;
  const games = Promise.all(players.map((player) => player.play(() => isOver)));
  await Promise.race([meanwhile(players), games]);
  isOver = true;
  await games;
  for (const [at, log] of (await logsOf(players)).entries()) {
    const player = players[at] as RestlessPlayer;
    await player.saw((event) => event.seq === log.at(-1)?.seq);
    // Every event once, in order, across all moves.
    expect(player.seen.map((event) => event.seq)).toEqual(log.map(({ seq }) => seq));
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, place) => place + 1));
    // Every command that was accepted is in the log, once; and it has no event that no client received.
    expect(log.flatMap((event) => event.command_id ?? [])).toEqual(player.accepted);
  }
  await Promise.all(players.map((player) => player.leave()));
  return players;
};

/** Ends when each of them has seen so many more meals come to their end. */
const moreMeals = async (players: readonly RestlessPlayer[], count: number): Promise<void> => {
  await Promise.all(
    players.map((player) => {
      const from = player.seen.at(-1)?.seq ?? 0;
      let meals = 0;
      let last = from;
      return player.saw((event) => {
        if (event.seq <= last) return false;
        last = event.seq;
        if (event.type === 'feeding-completed') meals += 1;
        return meals >= count;
      });
    }),
  );
};

describe.skipIf(!inject('redisUrl'))('behind one address, with two gateways and two workers', () => {
  beforeAll(async () => {
    fleet = await Fleet.open({ rules });
    pool = new Pool({ connectionString: fleet.database.url });
    await fleet.start('worker-1');
    await Promise.all(['worker-2', 'gateway-1', 'gateway-2'].map((name) => fleet.start(name)));
  }, 120_000);

  afterAll(async () => {
    await pool.end();
    await fleet.close();
  });

  it('every process is restarted in turn and no player loses or doubles anything', {
    timeout: 180_000,
  }, async (context) => {
    await playThrough(PLAYERS, async (players) => {
      await moreMeals(players, 1);
      for (const name of ['gateway-1', 'gateway-2']) expect(fleet.balancer.sockets.get(name)).toBeGreaterThan(0);
      for (const name of ['gateway-1', 'worker-1', 'gateway-2', 'worker-2']) {
        expect([name, await fleet.stop(name)]).toEqual([name, 0]);
        // Also while it is away: others do its work.
        await moreMeals(players, 2);
        await fleet.start(name);
      }
      await moreMeals(players, 1);
    });
    const sockets = [...fleet.balancer.sockets.values()].reduce((sum, count) => sum + count, 0);
    expect(sockets).toBeGreaterThanOrEqual(2 * PLAYERS);
    prove(context, { row: 32, tries: 1, of: 'restarts of every process in turn, under play' });
  });

  it('a gateway is killed and players lose nothing', { timeout: 90_000 }, async () => {
    await playThrough(6, async (players) => {
      await moreMeals(players, 1);
      for (const name of ['gateway-1', 'gateway-2'].slice(0, tries({ test: 1, proof: 2 }))) {
        await fleet.kill(name);
        await moreMeals(players, 2);
        await fleet.start(name);
      }
    });
  });

  it('an answer that never arrived is given again, the same, by the other gateway', { timeout: 90_000 }, async () => {
    const { balancer } = fleet;
    const client = await signIn(`${balancer.address}/gateway-1`);
    const phone = new RestlessPlayer(client);
    const { petId = '' } = (await phone.ask('home:adopt', { name: 'Rex', species: 'dog' })) ?? {};
    const token = client.auth.token ?? '';
    const tablet = await joinHome(`${balancer.address}/gateway-2`, { token, join: { afterSeq: 0 } });

    balancer.mute('gateway-1');
    const asked = phone.ask('home:feed', { petId, food: 'dog-food' });
    const started = await tablet.saw((event) => event.type === 'feeding-started');
    expect(phone.seen.map((event) => event.seq)).not.toContain(started.seq);
    await fleet.kill('gateway-1');
    balancer.use('gateway-1', fleet.addressOf('gateway-2'));

    const reply = await asked;
    expect(reply?.events).toEqual([started]);
    expect(reply).toMatchObject({
      seq: started.seq,
      petId,
      feedingId: started.type === 'feeding-started' && started.feedingId,
    });
    await phone.saw((event) => event.type === 'feeding-completed');
    const log = await tablet.log();
    expect(log.filter((event) => event.type === 'feeding-started')).toEqual([started]);
    expect(phone.seen).toEqual(log);
    await Promise.all([phone.leave(), tablet.room.leave()]);
    await fleet.start('gateway-1');
  });

  it('an SDK that comes back by itself to a process started anew learns there that its room is gone', async () => {
    const player = await joinHome(`${fleet.balancer.address}/gateway-1`);
    const { room, token } = player;
    const { seq } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
    room.reconnection.minUptime = 0;
    const left = new Promise<number>((resolve) => room.onLeave(resolve));

    await fleet.kill('gateway-1');
    await fleet.start('gateway-1');

    expect(await left).toBe(CloseCode.FAILED_TO_RECONNECT);
    expect(room.reconnection.retryCount).toBeLessThan(room.reconnection.maxRetries);
    const back = await joinHome(fleet.balancer.address, { token, join: { afterSeq: seq - 1 } });
    expect((await back.saw((event) => event.seq === seq)).type).toBe('pet-adopted');
    await back.room.leave();
  }, 60_000);

  it('a worker that was stopped leaves nothing unacked, and no shard to wait for', { timeout: 90_000 }, async () => {
    const redis = new Redis(fleet.redis.url);
    onTestFinished(() => redis.disconnect());
    await playThrough(6, async (players) => {
      await moreMeals(players, 1);
      const [nodes = ''] = await redis.keys('{kibble:*}nodes');
      const before = await redis.zrange(nodes, 0, -1);
      expect(await fleet.stop('worker-1')).toBe(0);
      const after = await redis.zrange(nodes, 0, -1);
      const [gone = '', ...others] = before.filter((node) => !after.includes(node));
      // The others wait for a silent process, but not for one that has left.
      expect([before, after, others].map(({ length }) => length)).toEqual([2, 1, 0]);
      expect(await unackedOf(redis, gone)).toBe(0);
      await moreMeals(players, 2);
      await fleet.start('worker-1');
    });
  });
});

/** How many deliveries a process that is gone holds still, over all shards. */
const unackedOf = async (redis: Redis, node: string): Promise<number> => {
  let pending = 0;
  let isKnown = false;
  for (const stream of await redis.keys('{kibble:*}handoff')) {
    const consumers = (await redis.xinfo('CONSUMERS', stream, 'kibble')) as unknown[][];
    // Names and values in turn: 'name', its name, 'pending', their number, ...
    const own = consumers.find(([, name]) => name === node);
    isKnown ||= own !== undefined;
    pending += Number(own?.[3] ?? 0);
  }
  expect(isKnown).toBe(true);
  return pending;
};
