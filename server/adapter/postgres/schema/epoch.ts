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
 * How far ids move on: past all that the lost state gave. Even, so that an id still says which table has the row. One of
 * a thousand steps, because one backup may be restored twice. Ids stay below 2^53 for 9,000 restores.
 */
const LEAP = '1000000000 * (1 + floor(random() * 1000))::bigint';

/**
 * Call it after a database was restored to an older state: `seq` will be given again, so clients must start anew, draws
 * must not repeat, and the index must be refilled. Timer ids move on: receivers of calls know those of lost timers. No
 * process of Kibble may run: each reads the epoch once. Returns it.
 */
export const beginEpoch = ({ pool, schema }: Database): Promise<string> =>
  withTransaction(pool, async (tx) => {
    const [row] = await query<{ epoch: string }>(tx, {
      text: `update "${schema}".epoch set epoch = gen_random_uuid()::text, secret = ${NEW_SECRET} returning epoch`,
    });
    for (const ids of [`"${schema}".timer_id_seq`, `"${schema}".thing_id_seq`]) {
      await query(tx, { text: `select setval('${ids}', last_value + ${LEAP}, is_called) from ${ids}` });
    }
    await query(tx, { text: `update "${schema}".timer_index set generation = generation + 1` });
    if (!row) throw noEpoch();
    return row.epoch;
  });

const noEpoch = (): Error => new Error('the table epoch is empty: run the migrations');
