import type { EntityManager } from 'typeorm';
import type { Database } from '../database.ts';
import { query } from '../statement.ts';
import { withTransaction } from '../transaction.ts';
import { NEW_SECRET } from './add-chance.ts';
import { epochEntity } from './home-entities.ts';
import { Records } from './records.ts';

/** What the database calls itself; made with its tables, and anew when it was restored. */
export const readEpoch = (database: Database): Promise<string> => new Records(database).read(epochOn);

export const epochOn = async (manager: EntityManager): Promise<string> => {
  const [row] = await manager.find(epochEntity);
  if (!row) throw noEpoch();
  return row.epoch;
};

/**
 * For a database that was restored to an older state: `seq` and timer ids will be given a second time, so clients have to
 * start anew, what was drawn once must not be drawn again, and the index has to be refilled. While no process of Kibble runs: each reads the epoch once. Returns the new one.
 */
export const beginEpoch = ({ pool, schema }: Database): Promise<string> =>
  withTransaction(pool, async (tx) => {
    const [row] = await query<{ epoch: string }>(tx, {
      text: `update "${schema}".epoch set epoch = gen_random_uuid()::text, secret = ${NEW_SECRET} returning epoch`,
    });
    await query(tx, { text: `update "${schema}".timer_index set generation = generation + 1` });
    if (!row) throw noEpoch();
    return row.epoch;
  });

const noEpoch = (): Error => new Error('the table epoch is empty: run the migrations');
