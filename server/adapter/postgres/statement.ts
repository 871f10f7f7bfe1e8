import type { Writable } from 'node:stream';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import { isA, textOf } from '../../../shared/game-code.ts';
import { TransactionRefused } from '../../timer/model/timer-errors.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { checkout, extendDeadline, releaseClient, reportFault } from './checkout.ts';
import { ownTypes } from './own-types.ts';
import { brokenBy, planName } from './plans.ts';
import { send } from './send.ts';
import { isOtherIsolation, isPlanLost, markOurs } from './world-fault.ts';

/** The session's default belongs to the host: above this level unrelated statements would fail. */
export const BEGIN_OURS = 'begin isolation level read committed';

/** A statement of ours. If it has a name, each connection prepares it once. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Runs a statement; the caller states with `Row` what it knows of the columns. */
export const query = async <Row>(on: Tx, statement: Statement): Promise<readonly Row[]> =>
  (await execute(on, statement)).rows as Row[];

/**
 * Sends a statement: with its name and our types, and on a pool with our bounds and isolation level. A host's
 * replacement that is no connection of `pg` gets text and values, as `Sql` promises. Its rows may have bigint as text,
 * number or `BigInt`, so the code that reads them converts them.
 */
export const execute = (on: Tx, statement: Statement): Promise<QueryResult> => {
  if (isPool(on)) return onPool(on, statement);
  return isOfPg(on) ? send(on, configOf(statement)) : onHosts(on, statement);
};

/** Awaits the returned promise alone, as `Sql` promises. */
const onHosts = async (on: Tx, { text, values = [] }: Statement): Promise<QueryResult> => {
  let result: unknown;
  try {
    result = await on.query(text, values.map(asText));
  } catch (error) {
    throw markOurs(asError(error));
  }
  if (Array.isArray((result as Partial<QueryResult> | undefined | null)?.rows)) return result as QueryResult;
  throw new TransactionRefused(
    'transaction/query',
    `query(text, values) of the given tx returned ${textOf(result)}: it must return a promise of { rows, rowCount }`,
  );
};

/** A client of `pg`, in JavaScript or native, or the one lent to a handler. */
export const isOfPg = (on: Tx): boolean => 'connectionParameters' in on || on.waitsForLocks !== undefined;

/** As `pg` sends it: drivers differ in how they send lists, and numbers for a bigint. */
const asText = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? `{${value.map(elementOf).join()}}` : String(value);
};

/** An element of a Postgres list. */
const elementOf = (value: unknown): string => {
  const text = asText(value);
  return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
};

const configOf = ({ name, text, values = [] }: Statement): QueryConfig => ({
  name: name && planName(name),
  text,
  values: [...values],
  types: ownTypes,
});

const isPool = (on: object): on is Pool => 'totalCount' in on;

/** Pools with another isolation level than ours. */
const strict = new WeakSet<Pool>();

/** Such a session fails with an error that ours never has; nothing was done then. */
const onPool = async (pool: Pool, statement: Statement): Promise<QueryResult> => {
  try {
    return await onClient(pool, statement);
  } catch (error) {
    if (isOtherIsolation(error)) strict.add(pool);
    else if (!isPlanLost(error)) throw error;
    return onClient(pool, statement);
  }
};

const onClient = async (pool: Pool, statement: Statement): Promise<QueryResult> => {
  const client = await checkout(pool);
  let broken: Error | undefined;
  try {
    if (!strict.has(pool)) return await send(client, configOf(statement));
    await send(client, BEGIN_OURS);
    const result = await send(client, configOf(statement));
    await send(client, 'commit');
    return result;
  } catch (error) {
    reportFault(pool, error);
    // A transaction that is still open would stay on the connection.
    broken = strict.has(pool) ? asError(error) : brokenBy(error);
    throw error;
  } finally {
    releaseClient(client, broken);
  }
};

/** From here on a statement of this transaction may take so long; 0: no limit. `first` is sent before it. */
export const setStatementTimeout = (tx: Tx, statementMs: number, first = ''): Promise<unknown> => {
  extendDeadline(tx, statementMs);
  return execute(tx, { text: `${first}set local statement_timeout = ${statementMs}` });
};

export const asError = (error: unknown): Error => (isA(error, Error) ? error : new Error(textOf(error)));

/** A statement that is sent when called. */
export type Step<Result = unknown> = () => Promise<Result>;

type ResultsOf<Steps extends readonly Step[]> = { -readonly [At in keyof Steps]: Awaited<ReturnType<Steps[At]>> };

/**
 * Runs steps in order on one connection and returns their results. A connection that pipelines does not wait for each
 * result. Throws the first failure, after all steps have ended.
 */
export const inOrder = async <const Steps extends readonly Step[]>(tx: Tx, steps: Steps): Promise<ResultsOf<Steps>> =>
  (isPipelining(tx) ? await corked(tx, () => pipelined(steps)) : await oneByOne(steps)) as ResultsOf<Steps>;

/** One socket write for everything that is sent at once, if the driver exposes its socket. */
const corked = <Results>(tx: Tx & { readonly connection?: Driver }, send: () => Promise<Results>): Promise<Results> => {
  const socket = tx.connection?.stream;
  socket?.cork();
  try {
    return send();
  } finally {
    socket?.uncork();
  }
};

interface Driver {
  readonly stream?: Pick<Writable, 'cork' | 'uncork'>;
}

const oneByOne = async (steps: readonly Step[]): Promise<unknown[]> => {
  const results: unknown[] = [];
  for (const step of steps) results.push(await step());
  return results;
};

const pipelined = async (steps: readonly Step[]): Promise<unknown[]> => {
  const ends = await Promise.allSettled(steps.map((step) => step()));
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
};

/** Whether statements of a client, or of a pool's options, share round trips if they do not wait for each other. */
export const isPipelining = (on: object | undefined): boolean =>
  (on as { readonly pipeline?: unknown } | undefined)?.pipeline === true;
