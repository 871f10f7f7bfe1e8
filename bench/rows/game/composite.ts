import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { type CardLoad, playCards } from '../../game/card-load.ts';
import { PLAYERS, playerAt, poolOf, seedGame } from '../../game/game-database.ts';
import { type LoadResult, underLoad } from '../../harness/load.ts';
import { installOwnPackage } from '../../harness/own-package.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { emptyRedis } from '../../harness/stores.ts';
import { type Delays, openDelays } from '../../peers/delays.ts';

const OURS = 'a card of ours';
const THEIRS = 'composite';
const LESS = 'composite, Redis each second';
const OURS_ALONE = 'a card of ours, one at a time';
const THEIRS_ALONE = 'composite, one at a time';
const IN_FLIGHT = 256;
/** Connections of ours: batches need no more. */
const CONNECTIONS = 4;
const POOLS = [4, 16, 32];

/** The alternative: Postgres for the game, BullMQ for the due time, an outbox between them. */
export const composite: Row = {
  name: 'composite',
  about: `Cards of ${PLAYERS.toLocaleString('en')} players, ${IN_FLIGHT} in flight and one at a time, beside what a studio would build instead ([its source](../rows/game/composite.ts)): a transaction of Postgres that spends the card, moves the due time and writes an outbox row, prepared and in one round trip, on the best of pools of ${POOLS.join(', ')}; a relay in a process of its own that moves BullMQ's delays 500 rows a time, on a Redis with appendfsync always, so that a moved delay is on disk before its outbox row goes, and as Redis comes. Commands a second are until the last delay is moved; p50 and p99 until the commit. Each run is checked: each card spent once, each job where its feeding is. Ours runs on the timing wheel, so as one process without Redis; one at a time the composite is quicker. A card of ours does more: it is idempotent, settles, obeys the catalogue, and writes events.`,
  rounds: 5,
  figures: [{ name: 'perSec', unit: '/s' }, ...inUnit('ms', 'p50', 'p99'), { name: 'connections', unit: 'count' }],
  targets: [
    { of: OURS, figure: 'perSec', against: THEIRS, atLeast: 1.6, isInEachRound: true },
    { of: OURS_ALONE, figure: 'p50', atMost: 0.9 },
  ],
  prepare: async ({ stores, isQuick }) => {
    installOwnPackage(path.join(import.meta.dirname, '../../peers'), 'the peers', () => undefined);
    const [serverUrl, redisUrl] = [await stores.postgresUrl(), await stores.redisUrl()];
    const players = isQuick ? PLAYERS / 10 : PLAYERS;
    const seeded = await seedGame(stores, players);
    const times = isQuick ? { warmUpMs: 300, lastsMs: 800 } : { warmUpMs: 1_000, lastsMs: 2_500 };
    const base = { serverUrl, redisUrl, players, ...times, inFlight: IN_FLIGHT, appendfsync: 'always' } as const;
    const connections = await bestPool(base);
    const many = { ...base, connections };
    const alone = { ...many, inFlight: 1, connections: 1 };
    const ours = { ...times, players, inFlight: IN_FLIGHT, batchSize: IN_FLIGHT, connections: CONNECTIONS };
    const ownCards = async (load: CardLoad) => ({ ...(await playCards(seeded, load)), connections: CONNECTIONS });
    return {
      contenders: [
        { name: OURS, measure: () => ownCards(ours) },
        { name: THEIRS, measure: () => cards(many) },
        { name: LESS, measure: () => cards({ ...many, appendfsync: 'everysec' }) },
        { name: OURS_ALONE, measure: () => ownCards({ ...ours, inFlight: 1 }) },
        { name: THEIRS_ALONE, measure: () => cards(alone) },
      ],
      dispose: () => emptyRedis(redisUrl),
    };
  },
};

const cards = async (load: CompositeLoad): Promise<Sample> => ({
  ...(await runComposite(load)),
  connections: load.connections,
});

/** The pool size with the composite's best rate. */
const bestPool = async (load: Omit<CompositeLoad, 'connections'>): Promise<number> => {
  let best = { connections: 0, perSec: 0 };
  for (const connections of POOLS) {
    const { perSec } = await runComposite({ ...load, connections });
    if (perSec > best.perSec) best = { connections, perSec };
  }
  return best.connections;
};

const POLL_EVERY_MS = 5;
const FAR_MS = 4_000 * 3_600_000;
/** The largest distance between the time of a delay's order and its start in BullMQ. */
const OFF_AT_MOST_MS = 2_000;

interface CompositeLoad {
  readonly serverUrl: string;
  readonly redisUrl: string;
  /** When Redis writes its data to disk. */
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
  /** The number of cards of each player. */
  readonly played: number[];
  readonly dueAtMs: number;
}

/**
 * Cards on Postgres and BullMQ with an outbox between them. `perSec` lasts until the last delay is moved as well;
 * `p50` and `p99` until the commit. Throws if a card was not spent once or a job does not match its feeding.
 */
const runComposite = async (load: CompositeLoad): Promise<LoadResult> => {
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
    path.join(import.meta.dirname, '../../processes/relay.ts'),
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
    const player = playerAt(number, shop.playerIds.length);
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

const allMoved = async (pool: Pool, relaying: ChildProcess): Promise<void> => {
  while ((await pool.query('select from outbox limit 1')).rowCount !== 0) {
    const ended = relaying.exitCode ?? relaying.signalCode;
    if (ended !== null) throw new Error(`the relay ended with ${ended}`);
    await sleep(POLL_EVERY_MS);
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

/** The work that a card removes; no run gets near to all of it. */
const CUT_MS = 60_000;
const CARD = 'speed-up';
const CARDS = 100_000;

// Leaves room on each page, so that a changed row stays on it and no index is written.
const tables = `
create table stock (player_id text not null, item text not null, count int not null check (count >= 0),
  primary key (player_id, item)) with (fillfactor = 70);
create table feeding (player_id text primary key, due_at bigint not null) with (fillfactor = 70);
create table outbox (id bigserial primary key, player_id text not null, due_at bigint not null)`;

const seedShop = async (pool: Pool, playerIds: readonly string[], dueAtMs: number): Promise<void> => {
  for (const statement of tables.split(';')) await pool.query(statement);
  await pool.query(`insert into stock select id, '${CARD}', ${CARDS} from unnest($1::text[]) id`, [playerIds]);
  await pool.query('insert into feeding select id, $2 from unnest($1::text[]) id', [playerIds, dueAtMs]);
  for (const statement of ['vacuum analyze', 'checkpoint']) await pool.query(statement);
};

/**
 * Spends a card, moves the due time nearer and writes the outbox: one transaction, prepared, sent in one round trip.
 * Without a card in stock the table's check fails the whole transaction.
 */
const playCard = async (pool: Pool, playerId: string): Promise<void> => {
  const client = await pool.connect();
  try {
    const sent = await Promise.allSettled([
      client.query('begin'),
      client.query({ name: 'spend', text: spend, values: [playerId] }),
      client.query({ name: 'move', text: move, values: [playerId, CUT_MS] }),
      client.query('commit'),
    ]);
    for (const each of sent) if (each.status === 'rejected') throw each.reason;
  } finally {
    client.release();
  }
};

const spend = `update stock set count = count - 1 where player_id = $1 and item = '${CARD}'`;
const move = `
with moved as (update feeding set due_at = due_at - $2 where player_id = $1 returning player_id, due_at)
insert into outbox (player_id, due_at) select player_id, due_at from moved`;
