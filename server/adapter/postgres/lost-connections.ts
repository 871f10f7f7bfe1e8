import type { Pool, PoolClient } from 'pg';
import type { EngineLog } from '../../runtime/engine-log.ts';

/** Our own pool is watched from its birth, and handed to `createKibble` like a host's. */
const pools = new WeakSet<Pool>();

/**
 * Logs lost connections of the pool, so that none of them ends the process: in Node an `error` event without a
 * listener does. The pool listens to idle clients only, so each client gets a listener for the time it is checked out.
 */
export const surviveLostConnections = (pool: Pool, log: EngineLog): void => {
  if (pools.has(pool)) return;
  pools.add(pool);
  const watched = new WeakSet<PoolClient>();
  const report = ({ message: reason }: Error): void => {
    // A Postgres that is stopped with us ends what the pool is about to close.
    if (pool.ending) return;
    // Not the error itself: the pool hangs the whole client on it.
    log.warn({ reason }, 'lost a connection to Postgres');
  };

  // Not `connect`: a pool of the host may have clients that connected before us.
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    client.on('error', report);
  });
  pool.on('error', (err, client) => {
    if (!watched.has(client)) report(err);
  });
};
