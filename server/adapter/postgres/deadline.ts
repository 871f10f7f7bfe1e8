import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';

/** What `pg` has no types for. */
interface Inside {
  readonly connectionParameters: { query_timeout: number | false };
  readonly connection: { readonly stream: Socket };
  readonly readyForQuery: boolean;
}

/**
 * Ends a connection that has been silent for the pool's `query_timeout` while a statement has no response. `pg` does so
 * too, with a timer for each statement and a function in a property of it; why that one is worth avoiding, `send` says.
 * A statement that is awaited without `send` is left to `pg`.
 */
export const watchDeadlines = (pool: Pool): void => {
  const deadlineMs = Number(pool.options.query_timeout);
  pool.on('connect', (client) => {
    const inside = client as unknown as Inside;
    const { stream } = inside.connection;
    stream.setTimeout(deadlineMs);
    stream.on('timeout', () => {
      const isWaiting = !inside.readyForQuery && inside.connectionParameters.query_timeout !== false;
      if (isWaiting) stream.destroy(new Error('Query read timeout'));
    });
    Object.assign(client, { query: withoutTimer(client, inside) });
  });
};

const withoutTimer = (client: PoolClient, { connectionParameters }: Inside) => {
  const query = client.query.bind(client) as (...said: unknown[]) => unknown;
  return (...said: unknown[]): unknown => {
    if (typeof said.at(-1) !== 'function') return query(...said);
    // `pg` reads it while it is called.
    const before = connectionParameters.query_timeout;
    connectionParameters.query_timeout = false;
    try {
      return query(...said);
    } finally {
      connectionParameters.query_timeout = before;
    }
  };
};
