import type { Client } from 'pg';
import { until } from '../play/within.ts';
import type { ServerNode } from './node.ts';
import { onDatabase, type World } from './world.ts';

/** A transaction waits no longer for a lock; a player that waits then is in the middle of one. */
const LOCK_WAIT_MS = 1_000;

/**
 * Locks pets for which the node is about to have something to do, until it waits for one of them in a transaction of its
 * own; then calls `strike`, and lets the pets go. So whatever `strike` does, it does in the middle of a transaction, and
 * of a batch, while the node holds the locks of its homes. (Homes would not do: a node passes by those that others hold.)
 */
export const inTransactionOf = (world: World, node: ServerNode, strike: () => Promise<void> | void): Promise<void> =>
  onDatabase(world, async (client) => {
    for (let tries = 0; tries < 40; tries += 1) {
      await client.query('begin');
      await client.query(node.role === 'worker' ? PETS_ABOUT_TO_FINISH : PETS_PLAYED_WITH);
      const isCaught = await waits(world, node.name).catch(() => false);
      if (isCaught) await strike();
      await client.query('rollback');
      if (isCaught) return;
    }
    throw new Error(`${node.name} was never found in a transaction`);
  });

/** A feeding ends there within half a second, and its player is away: only a timer will settle it. */
const PETS_ABOUT_TO_FINISH = `select from kibble.thing p
  where exists (select from kibble.home h where h.player_id = p.player_id
      and h.last_at < extract(epoch from clock_timestamp()) * 1000 - 500)
    and exists (select from kibble.thing d where d.player_id = p.player_id
      and d.due_at < extract(epoch from clock_timestamp()) * 1000 + 500)
  order by p.player_id, p.thing_id limit 12 for update skip locked`;

/** Its player has just played there, and will continue. */
const PETS_PLAYED_WITH = `select from kibble.thing p
  where exists (select from kibble.home h where h.player_id = p.player_id
    and h.last_at > extract(epoch from clock_timestamp()) * 1000 - 300)
  order by p.player_id, p.thing_id limit 12 for update skip locked`;

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
