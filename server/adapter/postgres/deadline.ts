import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';
import { limits } from '../../settings/config.ts';

/** What `pg` has no types for. */
interface Inside {
  /** Undefined: not the client in JavaScript. */
  readonly connection: { readonly stream: Socket } | undefined;
  readonly readyForQuery: boolean;
}

/** Connections that we have at this moment; a host's own statements have no deadline of ours. */
const ours = new WeakSet<object>();
const watched = new WeakSet<object>();

/**
 * From here until `endDeadline` the connection is ended when it is silent for `queryMs` while a statement has no response.
 * `pg` can do so too, with a timer for each statement and a function in a property of it; why that one is worth
 * avoiding, `send` says.
 */
export const keepDeadline = (client: PoolClient): PoolClient => {
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

export const endDeadline = (client: PoolClient): void => void ours.delete(client);

/** Until the connection is given back its statements may take so long. 0: as long as they take. */
export const moveDeadline = (client: object, statementMs: number): void => {
  const { queryMs } = limits.postgres;
  (client as Inside).connection?.stream.setTimeout(statementMs && statementMs + queryMs);
};
