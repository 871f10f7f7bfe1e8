import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createDatabase } from '../../test/support/postgres/postgres-server.ts';
import { poolOf } from '../game/game-database.ts';
import { emptyRedis } from '../harness/empty-redis.ts';
import { type LoadResult, underLoad } from '../harness/in-flight.ts';
import { type Delays, openDelays } from './delays.ts';
import { CARDS, CUT_MS, playCard, seedShop } from './shop.ts';

const LOOK_EVERY_MS = 5;
const FAR_MS = 4_000 * 3_600_000;
/** Between the times at which BullMQ is told a delay and takes it. */
const OFF_AT_MOST_MS = 2_000;

export interface CompositeLoad {
  readonly serverUrl: string;
  readonly redisUrl: string;
  /** When Redis writes what it was told to disk. */
  readonly appendfsync: 'always' | 'everysec';
  readonly connections: number;
  readonly inFlight: number;
  readonly players: number;
  readonly warmUpMs: number;
  readonly lastsMs: number;
}

interface Shop {
  readonly pool: Pool;
  readonly delays: Delays;
  readonly playerIds: readonly string[];
  /** Cards of each player. */
  readonly played: number[];
  readonly dueAtMs: number;
}

/**
 * Cards on Postgres and BullMQ with an outbox between them. `perSec` is until the last delay is moved as well; `p50Ms`
 * and `p99Ms` are until the commit. Throws when a card was not spent once or a job is not where its feeding is.
 */
export const runComposite = async (load: CompositeLoad): Promise<LoadResult> => {
  const { serverUrl, redisUrl, appendfsync, connections, players } = load;
  await emptyRedis(redisUrl, { appendfsync });
  const database = await createDatabase(serverUrl);
  const pool = poolOf(database.url, connections);
  const delays = await openDelays(redisUrl);
  const playerIds = Array.from({ length: players }, (_, number) => `bench-player-${number}`);
  const dueAtMs = Date.now() + FAR_MS;
  await seedShop(pool, playerIds, dueAtMs);
  await delays.add(playerIds.map((playerId) => ({ playerId, dueAtMs })));
  const relaying = fork(
    path.join(import.meta.dirname, 'relay-process.ts'),
    [JSON.stringify({ postgresUrl: database.url, redisUrl })],
    { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const shop: Shop = { pool, delays, playerIds, played: playerIds.map(() => 0), dueAtMs };
  try {
    return await measure(shop, relaying, load);
  } finally {
    if (relaying.connected) relaying.disconnect();
    if (relaying.exitCode === null && relaying.signalCode === null) await once(relaying, 'exit');
    await delays.close();
    await pool.end();
    await database.drop();
  }
};

const measure = async (shop: Shop, relaying: ChildProcess, load: CompositeLoad): Promise<LoadResult> => {
  const play = async (number: number): Promise<void> => {
    const player = (number * STRIDE) % shop.playerIds.length;
    await playCard(shop.pool, shop.playerIds[player] ?? '');
    shop.played[player] = (shop.played[player] ?? 0) + 1;
  };
  const { inFlight, warmUpMs, lastsMs } = load;
  await underLoad({ inFlight, warmUpMs: 0, lastsMs: warmUpMs }, play);
  await allMoved(shop.pool, relaying);
  const before = sum(shop.played);
  const startedAtMs = performance.now();
  const found = await underLoad({ inFlight, warmUpMs: 0, lastsMs }, play);
  await allMoved(shop.pool, relaying);
  const tookMs = performance.now() - startedAtMs;
  await check(shop);
  return { ...found, perSec: ((sum(shop.played) - before) / tookMs) * 1_000 };
};

/** A prime: players come in an order that no page and no index has. */
const STRIDE = 7_919;

const allMoved = async (pool: Pool, relaying: ChildProcess): Promise<void> => {
  while ((await pool.query('select from outbox limit 1')).rowCount !== 0) {
    if (relaying.exitCode !== null) throw new Error(`the relay ended with ${relaying.exitCode}`);
    await sleep(LOOK_EVERY_MS);
  }
};

const check = async ({ pool, delays, playerIds, played, dueAtMs }: Shop): Promise<void> => {
  const { rows } = await pool.query<{ player_id: string; count: number; due_at: number }>(
    'select player_id, count, due_at from stock join feeding using (player_id)',
  );
  const kept = new Map(rows.map((row) => [row.player_id, row]));
  const jobs = await delays.dueTimes();
  for (const [player, playerId] of playerIds.entries()) {
    const cards = played[player] ?? 0;
    const { count, due_at: dueAt } = kept.get(playerId) ?? {};
    const wanted = dueAtMs - cards * CUT_MS;
    const offMs = Math.abs((jobs.get(playerId) ?? Number.NaN) - wanted);
    if (count !== CARDS - cards || dueAt !== wanted || !(offMs <= OFF_AT_MOST_MS))
      throw new Error(`${playerId} played ${cards} cards: has ${count}, is due at ${dueAt}, its job ${offMs} ms off`);
  }
};

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
