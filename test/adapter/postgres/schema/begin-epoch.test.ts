import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Database } from '../../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../../server/adapter/postgres/home/home-store.ts';
import { PostgresEraseStore } from '../../../../server/adapter/postgres/ops/erase-store.ts';
import { beginEpoch } from '../../../../server/adapter/postgres/schema/epoch.ts';
import { PostgresGenerations } from '../../../../server/adapter/postgres/timer/generations.ts';
import { withTransaction } from '../../../../server/adapter/postgres/transaction.ts';
import { limits } from '../../../../server/settings/config.ts';
import { petsModules } from '../../../../testing/pets-engine.ts';
import { type HomeDatabase, homeDatabase } from '../../../support/postgres/home-database.ts';

let database: HomeDatabase;

beforeEach(async () => {
  database = await homeDatabase(inject('postgresUrl'));
});
afterEach(() => database.drop());

/** As a process has it that starts after the restore. */
const startedLater = () => {
  const { pool } = database;
  return database.service({
    store: new PostgresHomeStore({
      database: new Database({ pool, schema: 'kibble' }),
      modules: petsModules(),
      limits: limits.transaction,
    }),
  });
};

const begin = () => beginEpoch(new Database({ pool: database.pool, schema: 'kibble' }));

describe('a new epoch', () => {
  it('sends clients of the old one to the start, though their seq may exist again', async () => {
    const order = { playerId: 'ann', commandId: 'a-command' };
    const command = { type: 'home:grant', items: { snack: 1 }, reason: 'gift' } as const;
    await database.service().handle([{ ...order, command }]);
    const epoch = await database.store.epoch();
    await begin();

    const later = startedLater();
    expect(await later.sync('ann', { afterSeq: 1, epoch })).toMatchObject({
      ok: false,
      error: { code: 'sync/ahead', params: { seq: 2 } },
    });
    expect(await later.sync('ann', { afterSeq: 0 })).toMatchObject({ ok: true, value: { seq: 2 } });
  });

  it('has another secret, and an erased id stays erased: its next life has its number', async () => {
    const { pool } = database;
    const own = new Database({ pool, schema: 'kibble' });
    const command = { type: 'home:grant', items: { snack: 1 }, reason: 'gift' } as const;
    await database.service().handle([{ playerId: 'bea', commandId: 'a-command', command }]);
    await withTransaction(pool, (tx) => new PostgresEraseStore(own).erase(tx, 'bea'));
    const secretOf = async () => (await pool.query('select secret, erased_salt from kibble.epoch')).rows[0];
    const before = await secretOf();
    expect(await begin()).toMatch(/^[0-9a-f-]{36}$/);

    const after = await secretOf();
    expect(after.secret).toMatch(/^[0-9a-f-]{72}$/);
    expect([after.secret === before.secret, after.erased_salt]).toEqual([false, before.erased_salt]);
    const later = startedLater();
    await later.handle([{ playerId: 'bea', commandId: 'a-command', command }]);
    const [view] = await later.look(['bea']);
    expect(view?.epoch).toMatch(/\.1$/);
  });

  it('lets no index of before count', async () => {
    const generations = new PostgresGenerations(new Database({ pool: database.pool, schema: 'kibble' }));
    const { number } = await generations.inForce(4);
    await begin();

    expect(await generations.inForce(4)).toMatchObject({ number: number + 1, shards: 4 });
  });

  it('gives no id of a lost timer again, and ids still say which table has the row', async () => {
    const { pool, timers } = database;
    await timers.registerKinds([{ kind: 'refund', retentionMs: undefined, module: undefined }]);
    const idOf = async (subject: string) => {
      const timer = { kind: 'refund', subject, owner: 'ann', dueAtMs: Date.now() + 60_000 };
      const [put] = await timers.schedule([timer]);
      return Number(put?.timer.id);
    };
    const thingId = async () => Number((await pool.query(`select nextval('kibble.thing_id_seq') as id`)).rows[0].id);
    const [lost, lostThing] = [await idOf('a'), await thingId()];
    // As a restore has them: the sequences of before.
    await pool.query(`select setval('kibble.timer_id_seq', ${lost}, false)`);
    await pool.query(`select setval('kibble.thing_id_seq', ${lostThing}, false)`);
    await begin();

    const [next, nextThing] = [await idOf('b'), await thingId()];
    expect([next - lost >= 1e9, nextThing - lostThing >= 1e9]).toEqual([true, true]);
    expect([next % 2, nextThing % 2]).toEqual([1, 0]);
    expect(Math.max(next, nextThing)).toBeLessThan(1e13);
  });
});
