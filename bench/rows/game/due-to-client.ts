import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../../../examples/support/server-process.ts';
import { random } from '../../../server/adapter/machine/random.ts';
import { joinHome } from '../../../test/support/game/player.ts';
import { joinAll } from '../../game/rooms.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { quantile, quantiles } from '../../harness/spread.ts';
import { epochClock } from '../../timers/lateness-log.ts';

const ALL = 'two gateways and a worker';
const PLAYERS_A_GATEWAY = 200;

/** How late a player sees the effect of a timer. */
export const dueToClient: Row = {
  name: 'due-to-client',
  about: `Two gateway processes with ${PLAYERS_A_GATEWAY} players each on sockets, one worker process, Redis: about 100 feedings a second come due, and as many commands feed the pets again. From the due time until the event is in the hands of the player's SDK.`,
  rounds: 2,
  figures: inUnit('ms', 'p50', 'p99', 'max'),
  targets: [{ of: ALL, figure: 'p99', atMost: 50 }],
  prepare: async ({ stores, isQuick }) => {
    const database = await stores.migrated();
    const cluster = await startCluster(database.url, await stores.redisUrl());
    const players = isQuick ? 10 : PLAYERS_A_GATEWAY;
    const meals = isQuick ? 1 : 4;
    return {
      contenders: [{ name: ALL, measure: () => measureClients(cluster.addresses, players, meals) }],
      dispose: cluster.stop,
    };
  },
};

/** Players that feed their pet after each meal: how long after its due time they receive each meal's end. */
const measureClients = async (
  addresses: readonly string[],
  playersAnAddress: number,
  meals: number,
): Promise<Sample> => {
  const players = await joinAll(
    addresses.flatMap((address) => Array<string>(playersAnAddress).fill(address)),
    (address) => joinHome(address),
  );
  const epochMs = epochClock();
  const lateMs: number[] = [];
  // The first meals are spread over one meal's time; all others follow from them.
  const lives = players.map(async (player, at) => {
    const { petId } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
    await sleep((at * MEAL_MS) / players.length);
    for (let meal = 0; meal < meals; meal += 1) {
      const { feedingId } = await player.ask('home:feed', { petId, food: 'dog-food' });
      const done = await player.saw((event) => event.type === 'feeding-completed' && event.feedingId === feedingId);
      lateMs.push(epochMs() - done.at);
    }
    await player.room.leave();
  });
  await Promise.all(lives);
  if (quantile(lateMs, 0) < 0) throw new Error('a timer was early');
  return quantiles(lateMs, 'p50', 'p99', 'max');
};

/** How long a meal takes: 400 pets and four seconds make 100 feedings a second. */
const MEAL_MS = 4000;

const rules = {
  foods: { 'dog-food': { workMs: MEAL_MS, xp: 1 } },
  starter: { items: { 'dog-food': 100 } },
};

/** The reference server as three processes: two gateways and a worker. */
const startCluster = async (databaseUrl: string, redisUrl: string) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-bench-'));
  const rulesFile = path.join(folder, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify(rules));
  const start = (role: string) =>
    startServer({
      ROLE: role,
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      REDIS_PREFIX: `bench:${path.basename(folder)}`,
      JWT_SECRET: secret,
      RULES_FILE: rulesFile,
      OPS_TOKENS: `bench:admin:${random.uniqueName()}`,
      LOG_LEVEL: 'info',
    });
  const secret = random.uniqueName();
  const servers = await Promise.all([start('worker'), start('gateway'), start('gateway')]);
  return {
    /** Of the gateways. */
    addresses: servers.slice(1).map(({ address }) => address),
    stop: async (): Promise<void> => {
      for (const server of servers) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
