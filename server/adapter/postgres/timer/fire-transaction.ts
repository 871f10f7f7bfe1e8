import type { Pool } from 'pg';
import type { FireWork, TimersAt, TimerUpdate, Tx } from '../../../timer/model/timer-store.ts';
import { lend, stuckIfIdled } from '../lend.ts';
import { PLANNED_AS_USUAL, PLANNED_ONCE } from '../plans.ts';
import { send } from '../send.ts';
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
      const updates = await lend(tx, (lent) => work(lent, locked), { of: 'handler' });
      if (updates.length === 0) return locked;
      // The end of the session may arrive only now, as the answer to these.
      await inOrder(tx, [...planned(tx, PLANNED_ONCE), () => save(updates, tx), commit]).catch((error: unknown) => {
        throw stuckIfIdled(error);
      });
      return locked;
    },
  });
};
