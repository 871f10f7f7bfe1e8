import type { Pool, PoolClient } from 'pg';
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { type CardLoad, homesIn, playCards, type RecordedTransaction, recordCards } from '../../game/card-load.ts';
import { onCopy, PLAYERS, poolOf, seedGame } from '../../game/game-database.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';

const SERVICE = 'service';
const MEASURED = 'service with metrics';
const BARE = 'bare SQL in the same batches';
const UNBATCHED = 'one transaction a command';
const ALONE = 'service, one at a time';
const CONNECTIONS = 4;

/** The cost of a card, and the gain of batches. */
export const gameCommands: Row = {
  name: 'game-commands',
  about: `Cards of ${PLAYERS.toLocaleString('en')} players, speed-up and boost in turn, from the call to the answer: lock, idempotency, stock, feeding, timer, event, commit, index (wheel). 256 in flight on ${CONNECTIONS} connections; the same with each command measured; the same with a transaction for each command on 16; the statements of the first alone, sent again with the same parameters and round trips, without rules and service; and one command at a time.`,
  rounds: 5,
  figures: [{ name: 'perSec', unit: '/s' }, ...inUnit('ms', 'p50', 'p99')],
  targets: [
    { of: SERVICE, figure: 'perSec', atLeast: 12_000 },
    { of: SERVICE, figure: 'p99', atMost: 50 },
    { of: SERVICE, figure: 'perSec', against: BARE, atLeast: 0.6 },
    { of: SERVICE, figure: 'perSec', against: UNBATCHED, atLeast: 4 },
    { of: MEASURED, figure: 'perSec', against: SERVICE, atLeast: 0.97 },
    { of: ALONE, figure: 'p50', atMost: 0.9 },
  ],
  quick: {
    rounds: 3,
    guarded: [
      { of: SERVICE, figure: 'perSec', against: BARE, better: 'more' },
      { of: SERVICE, figure: 'perSec', against: UNBATCHED, better: 'more' },
      { of: MEASURED, figure: 'perSec', against: SERVICE, better: 'more' },
      { of: ALONE, figure: 'perSec', against: UNBATCHED, better: 'more' },
    ],
  },
  prepare: async ({ stores, isQuick }) => {
    const seeded = await seedGame(stores);
    const times = isQuick ? { warmUpMs: 400, lastsMs: 1000 } : { warmUpMs: 1000, lastsMs: 2500 };
    const many = { ...times, inFlight: 256, batchSize: 256, connections: CONNECTIONS };
    const recorded = await recordCards(seeded, many);
    const cards = (load: CardLoad): Promise<Sample> => playCards(seeded, load);
    return {
      contenders: [
        { name: SERVICE, measure: () => cards(many) },
        { name: MEASURED, measure: () => cards({ ...many, isMeasured: true }) },
        { name: BARE, measure: () => replay(seeded, recorded, CONNECTIONS) },
        { name: UNBATCHED, measure: () => cards({ ...many, batchSize: 1, connections: 16 }) },
        { name: ALONE, measure: () => cards({ ...many, inFlight: 1 }) },
      ],
    };
  },
};

/** The share of transactions for the warm-up. */
const WARM_UP = 0.2;

/** Sends recorded transactions again, with the least code that has their round trips: commands a second. */
const replay = (seeded: TestDatabase, recorded: readonly RecordedTransaction[], connections: number): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const pool = poolOf(url, connections);
    const warmUp = Math.floor(recorded.length * WARM_UP);
    try {
      await runAll(pool, recorded.slice(0, warmUp), connections);
      const counted = recorded.slice(warmUp);
      const startedAtMs = performance.now();
      await runAll(pool, counted, connections);
      const commands = counted.reduce((sum, transaction) => sum + homesIn(transaction), 0);
      return { perSec: (commands / (performance.now() - startedAtMs)) * 1000 };
    } finally {
      await pool.end();
    }
  });

const runAll = async (pool: Pool, recorded: readonly RecordedTransaction[], connections: number): Promise<void> => {
  const queue = recorded.values();
  const lane = async (): Promise<void> => {
    const client = await pool.connect();
    for (const transaction of queue) await run(client, transaction);
    client.release();
  };
  await Promise.all(Array.from({ length: connections }, lane));
};

const run = async (client: PoolClient, { roundTrips }: RecordedTransaction): Promise<void> => {
  for (const sent of roundTrips) await Promise.all(sent.map((statement) => client.query(statement)));
};
