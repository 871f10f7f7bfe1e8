import type { Pool, PoolClient, QueryResult } from 'pg';
import { handleRejection } from '../../../../shared/game-code.ts';
import { HandlerStuck } from '../../../timer/model/timer-errors.ts';
import type { FireWork, TimersAt, TimerUpdate, Tx } from '../../../timer/model/timer-store.ts';
import { PLANNED_AS_USUAL, PLANNED_ONCE } from '../plans.ts';
import { type QueryArguments, send } from '../send.ts';
import { inOrder, isPipelining, type Step } from '../statement.ts';
import { BEGIN, steppedTransaction } from '../transaction.ts';

interface Fire {
  readonly lock: (tx: Tx) => Promise<TimersAt>;
  readonly work: FireWork;
  readonly save: (updates: readonly TimerUpdate[], tx: Tx) => Promise<unknown>;
}

/**
 * The transaction of a fire; returns the locked timers. On a pool that pipelines, it takes two round trips and those of
 * `work`: the begin goes with the lock, the commit with the save. Lock and save are planned once, `work` as usual.
 */
export const fireTransaction = (pool: Pool, { lock, work, save }: Fire): Promise<TimersAt> => {
  const isPipelined = isPipelining(pool.options);
  // On a host's pool without pipelining it would cost a round trip.
  const planned = (tx: Tx, settings: string): readonly Step[] => (isPipelined ? [() => send(tx, settings)] : []);
  return steppedTransaction({
    pool,
    begin: isPipelined ? `${BEGIN}; ${PLANNED_ONCE}` : BEGIN,
    work: async (tx, { begin, commit }) => {
      const [, locked] = await inOrder(tx, [begin, () => lock(tx), ...planned(tx, PLANNED_AS_USUAL)]);
      const lent = lend(tx);
      const updates = await work(lent.tx, locked).finally(lent.end);
      if (updates.length === 0) return locked;
      // The end of the session may arrive only now, as the answer to these.
      await inOrder(tx, [...planned(tx, PLANNED_ONCE), () => save(updates, tx), commit]).catch((error: unknown) => {
        throw isIdled(error) ? stuck() : error;
      });
      return locked;
    },
  });
};

const isIdled = (error: unknown): boolean => (error as { readonly code?: unknown } | undefined)?.code === '25P03';

const stuck = () => new HandlerStuck('the handler let its transaction idle for longer than Postgres waits');

/** The connection for the work of one try. It refuses later queries, which would run outside of the transaction. */
const lend = (client: PoolClient) => {
  let isOver = false;
  let wasIdled = false;
  const note = (error: Error): void => {
    wasIdled ||= isIdled(error);
  };
  client.on('error', note);
  const run = async (...query: QueryArguments): Promise<QueryResult> => {
    if (isOver) throw new Error('the transaction of this handler is over');
    return send(client, ...query);
  };
  const query = (...sent: QueryArguments): unknown => {
    // A cursor is returned unchanged.
    if (!isOver && isSubmittable(sent[0])) return Reflect.apply(client.query, client, sent);
    const result = run(...sent);
    // If the handler does not await it, its failure must fail the transaction, not the process.
    handleRejection(result);
    return result;
  };
  const tx = { query: query as Tx['query'], pipeline: isPipelining(client), waitsForLocks: false };
  const end = (): void => {
    isOver = true;
    client.off('error', note);
    if (wasIdled) throw stuck();
  };
  return { tx, end };
};

const isSubmittable = (statement: unknown): boolean =>
  typeof statement === 'object' && statement !== null && 'submit' in statement;
