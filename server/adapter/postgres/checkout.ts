import type { Pool, PoolClient } from 'pg';
import { limits } from '../../settings/config.ts';
import { systemClock } from '../machine/system-clock.ts';
import { endDeadline, keepDeadline } from './deadline.ts';

/** A pool gave no connection in time. It begins as `pg` says the same. */
export class PoolUsedUp extends Error {
  constructor(pool: Pool) {
    const { totalCount, idleCount, waitingCount } = pool;
    super(
      `timeout exceeded when trying to connect: within ${limits.postgres.connectMs / 1000} s the pool gave no connection (${totalCount} open, ${idleCount} idle, ${waitingCount} waiting)`,
    );
    this.name = 'PoolUsedUp';
  }
}

/**
 * A connection of the pool, ours until `giveBack`: meanwhile a statement on it has a deadline. Waits for `connectMs` at most,
 * whatever the pool's own bound is; a connection that comes later goes back at once.
 */
export const checkout = (pool: Pool): Promise<PoolClient> => {
  const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
  let isOver = false;
  const fail = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    cancel();
    tellFault(pool, error);
    reject(error);
  };
  const cancel = systemClock.after(limits.postgres.connectMs, () => fail(new PoolUsedUp(pool)));
  connect(pool).then((client) => {
    if (isOver) return client.release();
    cancel();
    resolve(keepDeadline(client));
  }, fail);
  return promise;
};

/**
 * `pg` reads the bound while it is called: without one, a connection that never comes keeps its place in the pool for good.
 * Twice our own, so that ours ends first and names the pool's numbers: both begin at the event loop's time, which lags
 * behind by as long as the loop was busy.
 */
const connect = (pool: Pool): Promise<PoolClient> => {
  const { options } = pool;
  if (!options || options.connectionTimeoutMillis) return pool.connect();
  options.connectionTimeoutMillis = 2 * limits.postgres.connectMs;
  try {
    return pool.connect();
  } finally {
    options.connectionTimeoutMillis = 0;
  }
};

/** `broken` closes it. */
export const giveBack = (client: PoolClient, broken?: Error): void => {
  endDeadline(client);
  client.release(broken);
};

type Hear = (error: unknown) => void;

const hearing = new WeakMap<Pool, Set<Hear>>();

/** Calls back with each failure of a checkout, a transaction or a statement of ours on the pool, until the function that it returns is called. */
export const hearFaults = (pool: Pool, hear: Hear): (() => void) => {
  const all = hearing.get(pool) ?? new Set();
  hearing.set(pool, all.add(hear));
  return () => void all.delete(hear);
};

export const tellFault = (pool: Pool, error: unknown): void => {
  for (const hear of hearing.get(pool) ?? []) hear(error);
};
