import type { Pool } from 'pg';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { inTransaction } from '../in-transaction.ts';
import { query } from '../statement.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
}

/**
 * For a database that was restored to an older state: `seq` and timer ids will be given a second time, so clients have to
 * start anew, and the index has to be refilled. While no process of Kibble runs: each reads the epoch once. Returns the new one.
 */
export const beginEpoch = ({ pool, schema }: Dependencies): Promise<string> =>
  inTransaction(pool, async (tx: Tx) => {
    const [row] = await query<{ epoch: string }>(tx, {
      text: `update "${schema}".epoch set epoch = gen_random_uuid()::text returning epoch`,
    });
    await query(tx, { text: `update "${schema}".timer_index set generation = generation + 1` });
    if (!row) throw new Error('the table epoch is empty: run the migrations');
    return row.epoch;
  });
