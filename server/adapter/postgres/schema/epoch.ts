import type { EntityManager } from 'typeorm';
import type { Database } from '../database.ts';
import { query } from '../statement.ts';
import { withTransaction } from '../transaction.ts';
import { NEW_SECRET } from './add-chance.ts';
import { epochEntity } from './home-entities.ts';
import { Records } from './records.ts';

/** The name of the database's life; made with its tables, and anew after a restore. */
export const readEpoch = (database: Database): Promise<string> => new Records(database).read(epochOn);

export const epochOn = async (manager: EntityManager): Promise<string> => {
  const [row] = await manager.find(epochEntity);
  if (!row) throw noEpoch();
  return row.epoch;
};

/**
 * Call it after a database was restored to an older state: `seq` and timer ids will be given again, so clients must
 * start anew, draws must not repeat, and the index must be refilled. No process of Kibble may run: each reads the epoch
 * once. Returns it.
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
