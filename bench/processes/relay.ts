// The relay in its own process, as in production. argv: its stores as JSON. Ends with its parent's channel.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { z } from 'zod';
import { poolOf } from '../game/game-database.ts';
import { type Delayed, type Delays, openDelays } from '../peers/delays.ts';

const BATCH = 500;
const IDLE_MS = 2;

interface OutboxRow {
  readonly id: number;
  readonly player_id: string;
  readonly due_at: number;
}

const read = `select id, player_id, due_at from outbox order by id limit ${BATCH}`;
const remove = 'delete from outbox where id = any ($1::bigint[])';

/**
 * Moves the jobs of the outbox, a batch at a time: read, change all at once, remove. A repetition after a crash is
 * harmless. The rows of one player have the order of their commits, because each commit waited for the one before.
 */
const relay = async (pool: Pool, delays: Delays, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const { rows } = await pool.query<OutboxRow>({ name: 'read', text: read });
    if (rows.length === 0) {
      await sleep(IDLE_MS);
      continue;
    }
    await Promise.all(lastOfEach(rows).map((job) => delays.change(job)));
    await pool.query({ name: 'remove', text: remove, values: [rows.map(({ id }) => id)] });
  }
};

/** Only the last row of a player counts. */
const lastOfEach = (rows: readonly OutboxRow[]): readonly Delayed[] => {
  const last = new Map(rows.map(({ player_id, due_at }) => [player_id, due_at]));
  return [...last].map(([playerId, dueAtMs]) => ({ playerId, dueAtMs }));
};

const { postgresUrl, redisUrl } = z
  .object({ postgresUrl: z.string(), redisUrl: z.string() })
  .parse(JSON.parse(process.argv[2] ?? ''));
const ending = new AbortController();
process.once('disconnect', () => ending.abort());
const pool = poolOf(postgresUrl, 1);
const delays = await openDelays(redisUrl);
await relay(pool, delays, ending.signal);
await delays.close();
await pool.end();
