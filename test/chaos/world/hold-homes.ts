import type { Client } from 'pg';
import { until } from '../within.ts';
import { onDatabase, type World } from './world.ts';

/** A transaction waits no longer for a lock; whoever waits then is in the middle of one. */
const LOCK_WAIT_MS = 1_000;

/**
 * Locks homes in which something is due, until the node waits for one of them in a transaction of its own; then calls
 * `strike`, and lets the homes go. So whatever `strike` does, it does in the middle of a transaction, and of a batch.
 */
export const inTransactionOf = (world: World, name: string, strike: () => Promise<void> | void): Promise<void> =>
  onDatabase(world, async (client) => {
    for (let tries = 0; tries < 40; tries += 1) {
      await client.query('begin');
      await client.query(LOCK_BUSY_HOMES);
      const isCaught = await waits(world, name).catch(() => false);
      if (isCaught) await strike();
      await client.query('rollback');
      if (isCaught) return;
    }
    throw new Error(`${name} was never found in a transaction`);
  });

/** Homes of which a feeding ends within the next half second, and homes that somebody has just played in. */
const LOCK_BUSY_HOMES = `select h.player_id from kibble.home h
  where exists (select from kibble.timer t where t.owner = h.player_id and t.state = 'scheduled'
      and t.due_at < extract(epoch from clock_timestamp()) * 1000 + 500)
    or h.last_at > extract(epoch from clock_timestamp()) * 1000 - 300
  order by h.player_id limit 12 for update skip locked`;

const waits = (world: World, name: string): Promise<boolean> =>
  onDatabase(world, async (watcher) => {
    await until(`${name} waits for a lock`, LOCK_WAIT_MS - 100, () => isWaiting(watcher, name));
    return true;
  });

const isWaiting = async (watcher: Client, name: string): Promise<boolean> => {
  const { rowCount } = await watcher.query(
    `select from pg_stat_activity where application_name = $1 and datname = current_database() and wait_event_type = 'Lock'`,
    [name],
  );
  return (rowCount ?? 0) > 0;
};
