import { expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../../../../server/adapter/postgres/schema/migrate.ts';
import { type OrmDatabase, ormDatabase } from '../../../support/postgres/orm-database.ts';
import { endTimers, insertTimers } from '../../../support/postgres/timer-rows.ts';

/** Things as version 14 has them: of two pets one eats, a hall is built, and a well rests. */
const ofVersion14 = async (): Promise<OrmDatabase> => {
  const database = await ormDatabase(inject('postgresUrl'), 'kibble');
  onTestFinished(() => database.drop());
  await migrate(database.dataSource);
  await database.dataSource.undoLastMigration();
  await database.pool.query(
    `insert into kibble.home (player_id, seq, last_at, tx, opened) values ('ann', 9, 1, 0, '{pets,village}');
     insert into kibble.thing (player_id, module, thing_id, version, state, run, due_at) values
       ('ann', 'pets', 'ann~p2', 1, '{"feeding": {"feedingId": "ann~f7"}}', 'ann~f7', 70),
       ('ann', 'pets', 'ann~p3', 1, '{}', null, null),
       ('ann', 'village', 'hall', 1, '{}', 'ann~hall', 50),
       ('ann', 'village', 'well', 1, '{}', null, null)`,
  );
  const timers = [
    ['feeding', 'ann~f4', 'completed'],
    ['feeding', 'ann~f5', 'cancelled'],
    ['feeding', 'ann~f6', 'dead'],
    ['feeding', 'ann~f7', 'scheduled'],
    ['village', 'ann~hall', 'completed'],
    ['village', 'ann~hall', 'scheduled'],
    ['order', 'ann~f7', 'scheduled'],
    ['order', 'ann~f4', 'completed'],
  ] as const;
  for (const [kind, subject, state] of timers) {
    await database.pool.query(insertTimers(`select '${kind}', '${subject}', 'ann', 50::bigint`));
    if (state !== 'scheduled')
      await database.pool.query(endTimers(state, `t.kind = '${kind}' and t.subject = '${subject}'`));
  }
  await database.pool.query(`update kibble.timer_due set attempt = 3, claims = 1, revision = 8 where kind = 'feeding'`);
  return database;
};

const timersIn = async ({ pool }: OrmDatabase): Promise<readonly (readonly unknown[])[]> => {
  const { rows } = await pool.query(
    `select t.id, t.kind, t.subject, t.state, d.revision, d.attempt, d.fire_at
     from kibble.timer t left join kibble.timer_due d using (id) order by t.id`,
  );
  return rows.map(({ id, kind, subject, state, revision, attempt, fire_at }) => [
    Number(id),
    kind,
    subject,
    state,
    revision,
    attempt,
    fire_at === null ? null : Number(fire_at),
  ]);
};

it('migration 15 names timers after their things, forgets what is over, and leaves a game’s own kinds', async () => {
  const database = await ofVersion14();
  await migrate(database.dataSource);
  expect(await timersIn(database)).toEqual([
    [4, 'feeding', 'ann~ann~p2', 'scheduled', 8, 3, 50],
    [6, 'village', 'ann~hall', 'scheduled', 1, 0, 50],
    [7, 'order', 'ann~f7', 'scheduled', 1, 0, 50],
    [8, 'order', 'ann~f4', 'completed', null, null, null],
  ]);
});

it('the way back names the timers of pets after what they do, and keeps all others', async () => {
  const database = await ofVersion14();
  const before = await timersIn(database);
  const runs = 'select thing_id, run from kibble.thing order by 1';
  const { rows: runsBefore } = await database.pool.query(runs);
  await migrate(database.dataSource);
  await database.dataSource.undoLastMigration();
  const over = [1, 2, 3, 5];
  expect(await timersIn(database)).toEqual(before.filter(([id]) => !over.includes(Number(id))));
  expect((await database.pool.query(runs)).rows).toEqual(runsBefore);
});

it('of a database without homes nothing is taken for the timer of a thing', async () => {
  const database = await ormDatabase(inject('postgresUrl'), 'kibble');
  onTestFinished(() => database.drop());
  await migrate(database.dataSource);
  await database.dataSource.undoLastMigration();
  await database.pool.query(insertTimers(`values ('feeding', 'the-lions', 'zoo', 50::bigint)`));
  await database.pool.query(endTimers('completed', 'true'));
  const before = await timersIn(database);
  await migrate(database.dataSource);
  expect(await timersIn(database)).toEqual(before);
});
