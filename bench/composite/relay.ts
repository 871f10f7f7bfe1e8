import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Delayed, Delays } from './delays.ts';

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
 * Moves the jobs as the outbox says, a batch at a time: read, change all at once, remove. What comes again after a crash
 * does no harm. The rows of one player are in the order of their commits, since each waited for the one before.
 */
export const relay = async (pool: Pool, delays: Delays, signal: AbortSignal): Promise<void> => {
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

/** Of a player only the last counts. */
const lastOfEach = (rows: readonly OutboxRow[]): readonly Delayed[] => {
  const last = new Map(rows.map(({ player_id, due_at }) => [player_id, due_at]));
  return [...last].map(([playerId, dueAtMs]) => ({ playerId, dueAtMs }));
};
