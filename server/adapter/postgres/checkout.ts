import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';
import { limits } from '../../settings/config.ts';
import { systemClock } from '../machine/system-clock.ts';
import { isReadOnly, markUnconnected } from './world-fault.ts';

/** A pool gave no connection in time. The message begins like the one of `pg`. */
export class PoolUsedUp extends Error {
  readonly code = 'pool/used-up';
  readonly retryable = true;

  constructor(pool: Pool) {
    const { totalCount, idleCount, waitingCount } = pool;
    super(
      `timeout exceeded when trying to connect: within ${limits.postgres.connectMs / 1000} s the pool gave no connection (${totalCount} open, ${idleCount} idle, ${waitingCount} waiting)`,
    );
    this.name = 'PoolUsedUp';
  }
}

/** The game ended its pool before the shutdown. */
class PoolEnded extends Error {
  readonly code = 'pool/ended';
  readonly retryable = false;

  constructor(cause: unknown) {
    super('the game ended the pool: end it after the shutdown of Kibble', { cause });
    this.name = 'PoolEnded';
  }
}

/**
 * A connection of the pool, ours until `releaseClient`: until then each statement on it has a deadline. Waits at most
 * `connectMs`, whatever the pool's own bound is; a connection that arrives later is released at once.
 */
export const checkout = (pool: Pool): Promise<PoolClient> => {
  const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
  let isOver = false;
  const fail = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    cancel();
    const fault = pool.ending ? new PoolEnded(error) : markUnconnected(error);
    reportFault(pool, fault);
    reject(fault);
  };
  const cancel = systemClock.after(limits.postgres.connectMs, () => fail(new PoolUsedUp(pool)));
  const take = (client: PoolClient): void => {
    if (isOver) {
      client.release();
    } else if (isRetired(pool, client)) {
      client.release(true);
      connect(pool).then(take).catch(fail);
    } else {
      cancel();
      resolve(startDeadline(client));
    }
  };
  connect(pool).then(take).catch(fail);
  return promise;
};

/** Of a pool: how often it was retired; of a connection: the same when it was first seen. */
const retirements = new WeakMap<object, number>();
const retiredAtMs = new WeakMap<Pool, number>();
/** Many changes fail at once; the watch's probe, each second, goes on with it. */
const RETIRED_EACH_MS = 900;

/**
 * All connections of the pool are closed instead of used: they lead to a server that takes no changes. After a failover
 * they may lead to the earlier primary, which is a standby now; reads alone would never fail there.
 */
export const retire = (pool: Pool): void => {
  const nowMs = systemClock.monotonicMs();
  if (nowMs - (retiredAtMs.get(pool) ?? Number.NEGATIVE_INFINITY) < RETIRED_EACH_MS) return;
  retiredAtMs.set(pool, nowMs);
  retirements.set(pool, (retirements.get(pool) ?? 0) + 1);
};

const isRetired = (pool: Pool, client: PoolClient): boolean => {
  const present = retirements.get(pool) ?? 0;
  const seen = retirements.get(client) ?? present;
  retirements.set(client, seen);
  return seen < present;
};

/**
 * `pg` reads its bound when it opens a connection. Without one, a connection that never arrives keeps its place in the
 * pool for good. It is twice our own bound, so that ours ends first and names the pool's numbers: both begin at the event
 * loop's time, which lags while the loop is busy.
 */
const bounded = <Result>({ options }: Pool, open: () => Result): Result => {
  if (!options || options.connectionTimeoutMillis) return open();
  options.connectionTimeoutMillis = 2 * limits.postgres.connectMs;
  try {
    return open();
  } finally {
    options.connectionTimeoutMillis = 0;
  }
};

const boundedPools = new WeakSet<Pool>();

/** For a caller that waits in a full pool, `pg` opens a connection later, when another has failed. */
const boundOpening = (pool: Pool): void => {
  const inside = pool as Pool & { newClient?: (waiting: unknown) => unknown };
  const { newClient } = inside;
  if (boundedPools.has(pool) || typeof newClient !== 'function') return;
  boundedPools.add(pool);
  inside.newClient = (waiting) => bounded(pool, () => newClient.call(pool, waiting));
};

/** Async, because `pg` throws at once for a URL or a certificate that it cannot read. */
const connect = async (pool: Pool): Promise<PoolClient> => {
  boundOpening(pool);
  return bounded(pool, () => pool.connect());
};

/** Returns it to the pool; `broken` closes it. */
export const releaseClient = (client: PoolClient, broken?: Error): void => {
  endDeadline(client);
  client.release(broken);
};

type FaultListener = (error: unknown) => void;

const listeners = new WeakMap<Pool, Set<FaultListener>>();

/** Calls `listener` when a checkout, a transaction or a statement of ours on the pool fails. Returns the unsubscriber. */
export const onFault = (pool: Pool, listener: FaultListener): (() => void) => {
  const all = listeners.get(pool) ?? new Set();
  listeners.set(pool, all.add(listener));
  return () => void all.delete(listener);
};

export const reportFault = (pool: Pool, error: unknown): void => {
  if (isReadOnly(error)) retire(pool);
  for (const listener of listeners.get(pool) ?? []) listener(error);
};

/** Fields of `pg` without public types. */
interface Inside {
  /** Undefined: the native client. */
  readonly connection: { readonly stream: Socket } | undefined;
  readonly readyForQuery: boolean;
}

/** Connections that we have now; a host's own statements have no deadline of ours. */
const ours = new WeakSet<object>();
const watched = new WeakSet<object>();

/**
 * From here until `endDeadline` the connection is ended if it is silent for `queryMs` while a statement waits for its
 * response. `pg` has such a time-out too, but with a timer for each statement and a function in one of its properties;
 * `send` says why to avoid that.
 */
const startDeadline = (client: PoolClient): PoolClient => {
  const inside = client as unknown as Inside;
  const stream = inside.connection?.stream;
  if (!stream) return client;
  ours.add(client);
  if (stream.timeout !== limits.postgres.queryMs) stream.setTimeout(limits.postgres.queryMs);
  if (watched.has(client)) return client;
  watched.add(client);
  stream.on('timeout', () => {
    if (ours.has(client) && !inside.readyForQuery) stream.destroy(new Error('Query read timeout'));
  });
  return client;
};

const endDeadline = (client: PoolClient): void => void ours.delete(client);

/** Until `releaseClient` a statement on the connection may take so long. 0: no limit. */
export const extendDeadline = (client: object, statementMs: number): void => {
  const { queryMs } = limits.postgres;
  (client as Inside).connection?.stream.setTimeout(statementMs && statementMs + queryMs);
};
