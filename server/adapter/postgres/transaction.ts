import type { Pool, PoolClient } from 'pg';
import { limits } from '../../settings/config.ts';
import { checkout, releaseClient, reportFault } from './checkout.ts';
import { ownTypes } from './own-types.ts';
import { brokenBy } from './plans.ts';
import { send } from './send.ts';
import { asError, BEGIN_OURS, type Step } from './statement.ts';
import { isConnectionFault, markOurs } from './world-fault.ts';

/** Time limits in a transaction, so that the transaction of a frozen process blocks others only for a short time. */
export interface TransactionLimits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

/** Begins a transaction that sets its own limits, so that they apply on a host's pool too. */
export const beginWithin = ({ statementMs, lockMs, idleInTransactionMs }: TransactionLimits): string =>
  `${BEGIN_OURS}; set local statement_timeout = ${statementMs}; set local lock_timeout = ${lockMs};
   set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`;

export const BEGIN = beginWithin(limits.transaction);

/**
 * A further column of a select: bounds the wait of its statement for an open transaction with the same key, which
 * `nowait` does not. It applies until the end of the transaction; so only for one statement alone, or in our own.
 */
export const BOUND_WAIT = `, set_config('lock_timeout', '${limits.transaction.lockMs}', true)`;

/** The same limits, but the transaction may be idle for so long. Only for one that no command waits for. */
export const beginIdling = (idleMs: number = limits.transaction.idleInTransactionMs): string =>
  beginWithin({ ...limits.transaction, idleInTransactionMs: idleMs });

/**
 * Runs `work` in its own transaction: commits when it returns, rolls back and rethrows when it throws. Time-outs are
 * set inside, so that they apply on a host's pool too. `work` also gets the result of `begin`.
 */
export const withTransaction = <Result>(
  pool: Pool,
  work: (client: PoolClient, begun: unknown) => Promise<Result>,
  begin: string = BEGIN,
): Promise<Result> =>
  steppedTransaction({ pool, begin, work: async (client, { begin }) => work(client, await begin()) });

/** The first and the last statement of a transaction. Each is sent once, in the same round trip as its neighbours. */
export interface Ends {
  readonly begin: Step;
  readonly commit: Step;
}

/** Sends `begin` first. It may send `commit` along with its last statements; otherwise that is sent after it. */
export type TransactionWork<Result> = (client: PoolClient, ends: Ends) => Promise<Result>;

/** The progress of a transaction: if the connection is lost while committing, it may be committed. */
export type TransactionStep = 'connecting' | 'working' | 'committing';

export interface Failure {
  readonly error: unknown;
  readonly progress: TransactionStep;
  readonly isConnectionLost: boolean;
}

interface Options<Result> {
  readonly pool: Pool;
  readonly begin: string;
  readonly work: TransactionWork<Result>;
  /** Makes the error to throw. Default: the error unchanged. */
  readonly faultOf?: (failure: Failure) => unknown;
}

interface State {
  progress: TransactionStep;
  /** The server's reply to the commit: `COMMIT`, or `ROLLBACK` after a failed statement. */
  ended: string | undefined;
  broken: Error | undefined;
}

/**
 * One transaction: returns the result of `work` after the commit, rolls back on any error. On a connection that
 * pipelines, `begin` and `commit` share the round trips of `work`'s statements.
 */
export const steppedTransaction = async <Result>(options: Options<Result>): Promise<Result> => {
  const { pool, faultOf = ({ error }) => error } = options;
  const client = await checkout(pool).catch((error: unknown) => {
    throw faultOf({ error: markOurs(error), progress: 'connecting', isConnectionLost: true });
  });
  // Without a listener, a server that dies between two statements would end the process.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  const state: State = { progress: 'working', ended: undefined, broken: undefined };
  try {
    return await transact(client, options, state);
  } catch (error) {
    const isConnectionLost = isConnectionFault(error);
    reportFault(pool, error);
    state.broken = brokenBy(error);
    // A rollback on a lost connection would never return.
    if (!state.broken) await rollBack(client, state);
    throw faultOf({ error, progress: state.progress, isConnectionLost });
  } finally {
    client.off('error', ignore);
    releaseClient(client, state.broken);
  }
};

const transact = async <Result>(
  client: PoolClient,
  { begin, work }: Options<Result>,
  state: State,
): Promise<Result> => {
  const commit = async (): Promise<void> => {
    state.progress = 'committing';
    state.ended = (await send(client, 'commit')).command;
  };
  const result = await work(client, { begin: () => send(client, { text: begin, types: ownTypes }), commit });
  if (state.progress !== 'committing') await commit();
  if (state.ended === 'COMMIT') return result;
  throw new Error(`nothing is committed (${state.ended}): a statement failed before, and its error was not passed on`);
};

/** Also called after a refused commit, which has already rolled back: then it does nothing. */
const rollBack = async (client: PoolClient, state: State): Promise<void> => {
  await client.query('rollback').catch((reason: unknown) => {
    state.broken = asError(reason);
  });
};
