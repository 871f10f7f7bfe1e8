import type { Pool, PoolClient } from 'pg';
import type { TestDatabase } from '../../test/support/postgres/postgres-server.ts';
import type { Sample } from '../harness/row.ts';
import { onCopy, poolOf } from './game-database.ts';
import { homesIn, type RecordedTransaction } from './statement-log.ts';

/** Of the transactions, not counted. */
const WARM_UP = 0.2;

/** Sends recorded transactions once more, with the least code that keeps their round trips: commands a second. */
export const replay = (
  seeded: TestDatabase,
  recorded: readonly RecordedTransaction[],
  connections: number,
): Promise<Sample> =>
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
