import type { Pool, PoolClient, QueryConfig } from 'pg';

export type Sent = string | QueryConfig;

/** What one transaction sent. */
export interface RecordedTransaction {
  /** Statements that were sent without waiting for an answer in between share a round trip. */
  readonly roundTrips: readonly (readonly Sent[])[];
}

/** Listens to the transactions of a pool. */
export const recordStatements = (pool: Pool, onTransaction: (transaction: RecordedTransaction) => void): void => {
  pool.on('connect', (client) => recordClient(client, onTransaction));
};

const recordClient = (client: PoolClient, onTransaction: (transaction: RecordedTransaction) => void): void => {
  const send = client.query.bind(client) as (...said: unknown[]) => unknown;
  let roundTrips: Sent[][] = [];
  let unanswered = 0;
  const query = (...said: unknown[]): unknown => {
    const [sent, told] = said;
    // Else it comes from the pool itself, outside of a transaction.
    if (said.length !== 2 || typeof told !== 'function') return send(...said);
    if (unanswered === 0) roundTrips.push([]);
    roundTrips.at(-1)?.push(sent as Sent);
    unanswered += 1;
    send(sent, (...reply: unknown[]) => {
      unanswered -= 1;
      told(...reply);
    });
    if (sent !== 'commit') return undefined;
    onTransaction({ roundTrips });
    roundTrips = [];
    return undefined;
  };
  Object.assign(client, { query });
};

/** How many homes the transaction locks: its first statement with parameters takes the list of them. */
export const homesIn = ({ roundTrips }: RecordedTransaction): number => {
  const lock = roundTrips.flat().find((sent) => typeof sent === 'object' && sent.values?.length);
  const [playerIds] = (typeof lock === 'object' && lock.values) || [];
  if (!Array.isArray(playerIds)) throw new Error('a transaction that does not begin with the lock of its homes');
  return playerIds.length;
};
