import type { Pool, PoolClient } from 'pg';
import { inOrder } from './statement.ts';
import { isConnectionFault } from './world-fault.ts';

/** A statement that is sent when called. */
export type Step = () => Promise<unknown>;

/** Does what it needs to, `begin` being its first statement, and answers the steps that it does not wait for. */
export type Work = (client: PoolClient, begin: Step) => Promise<readonly Step[]>;

/** How far a transaction had come: what failed while committing may be committed, if the connection is lost. */
export type Progress = 'connecting' | 'working' | 'committing';

export interface Failure {
  readonly error: unknown;
  readonly progress: Progress;
  readonly isConnectionLost: boolean;
}

interface Options {
  readonly pool: Pool;
  /** Begins the transaction, with its limits. */
  readonly begin: string;
  readonly work: Work;
  /** What to throw. Default: the error as it came. */
  readonly faultOf?: (failure: Failure) => unknown;
}

interface State {
  progress: Progress;
  broken: Error | undefined;
}

/**
 * One transaction: commits after the steps that `work` answers, rolls back when anything throws. On a connection that
 * pipelines, `begin` shares the round trip of the statement that `work` sends along with it, and the commit that of
 * the steps.
 */
export const steppedTransaction = async (options: Options): Promise<void> => {
  const { pool, faultOf = ({ error }) => error } = options;
  const client = await pool.connect().catch((error: unknown) => {
    throw faultOf({ error, progress: 'connecting', isConnectionLost: true });
  });
  // Without a listener, a server that dies between two statements would end the process.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  const state: State = { progress: 'working', broken: undefined };
  try {
    await transact(client, options, state);
  } catch (error) {
    const isConnectionLost = isConnectionFault(error);
    // Over a connection that is lost nothing would be answered.
    if (isConnectionLost) state.broken = asError(error);
    else await rollBack(client, state);
    throw faultOf({ error, progress: state.progress, isConnectionLost });
  } finally {
    client.off('error', ignore);
    client.release(state.broken);
  }
};

const transact = async (client: PoolClient, { begin, work }: Options, state: State): Promise<void> => {
  const steps = await work(client, () => client.query(begin));
  let tag = '';
  const commit = async (): Promise<void> => {
    state.progress = 'committing';
    tag = (await client.query('commit')).command;
  };
  await inOrder(client, [...steps, commit]);
  if (tag === 'COMMIT') return;
  throw new Error(`nothing is committed (${tag}): a statement failed before, and its error was not passed on`);
};

/** Also after a refused commit, which has rolled back already: then this does nothing. */
const rollBack = async (client: PoolClient, state: State): Promise<void> => {
  await client.query('rollback').catch((reason: unknown) => {
    state.broken = asError(reason);
  });
};

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
