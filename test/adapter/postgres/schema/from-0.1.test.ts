import { expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../../../../server/adapter/postgres/schema/migrate.ts';
import { createKibble, ManualClock, silent } from '../../../../server/kibble.ts';
import { differencesIn } from '../../../support/postgres/differences-in.ts';
import { dueTimesOf, keptHomes, makeOldRelease } from '../../../support/postgres/old-release.ts';
import { type OrmDatabase, ormDatabase } from '../../../support/postgres/orm-database.ts';

const kept = keptHomes();
const dueTimes = dueTimesOf(kept);

/** Migrations since 0.1. */
const LATER = [
  'Things1795219200011',
  'TimerDue1795219200012',
  'TimerRecurrence1795219200013',
  'TimerCommands1795219200014',
  'DerivedTimers1795219200015',
];

const databaseOfOldRelease = async (): Promise<OrmDatabase> => {
  const database = await ormDatabase(inject('postgresUrl'), 'kibble');
  onTestFinished(() => database.drop());
  await makeOldRelease(database, kept);
  return database;
};

it('moves pets, what they eat and checkpoints of a database of 0.1: rows, logs and timers agree', async () => {
  const database = await databaseOfOldRelease();
  expect(await migrate(database.dataSource)).toEqual(LATER);
  const { rows } = await database.pool.query(
    `select d.due_at = x.due_at as is_equal from kibble.timer t join kibble.timer_due d on d.id = t.id
     join kibble.thing x on x.player_id || '~' || x.thing_id = t.subject where t.state = 'scheduled'`,
  );
  expect(rows).toEqual(dueTimes.map(() => ({ is_equal: true })));
  expect(await differencesIn(database.pool)).toEqual([]);
});

it('plays on while half of the feedings are overdue: each completes once, at its own time', async () => {
  const database = await databaseOfOldRelease();
  const nowMs = dueTimes[dueTimes.length / 2] ?? 0;
  const clock = new ManualClock(nowMs);
  const kibble = createKibble({ pool: database.pool, playerId: ({ sub }) => sub, clock, log: silent });
  await kibble.lifecycle.boot();
  await kibble.runDue();
  const { rows } = await database.pool.query<{ at: string }>(
    `select e.at from kibble.event e join jsonb_array_elements($1::jsonb) t on t.value->>'subject' = e.body->>'feedingId'
     where e.type = 'feeding-completed' order by e.at`,
    [JSON.stringify(kept.timer)],
  );
  expect(rows.map(({ at }) => Number(at))).toEqual(dueTimes.filter((at) => at <= nowMs));
  const [view] = await kibble.homes.look(['seed-0000001']);
  const [petId = ''] = Object.keys(view?.home.things.pets ?? {});
  const payload = { commandId: 'stop-after-it', petId };
  await kibble.homes.handle([{ playerId: 'seed-0000001', type: 'home:stop', payload }]);
  clock.advance(1_000_000_000);
  await kibble.runDue();
  expect(await kibble.timers.listByOwner('seed-0000001')).toEqual([]);
  await kibble.lifecycle.shutdown();
  expect(await differencesIn(database.pool)).toEqual([]);
});

it('goes back to the tables of 0.1 with the same rows', async () => {
  const database = await databaseOfOldRelease();
  const rowsOf = async (table: string, order: string) =>
    (await database.pool.query(`select to_jsonb(t) as row from kibble.${table} t order by ${order}`)).rows;
  const pets = await rowsOf('pet', 'pet_id');
  const checkpoints = await rowsOf('checkpoint', 'player_id');
  await migrate(database.dataSource);
  for (const _ of LATER) await database.dataSource.undoLastMigration();
  expect(await rowsOf('pet', 'pet_id')).toEqual(pets);
  expect(await rowsOf('checkpoint', 'player_id')).toEqual(checkpoints);
  const { rows } = await database.pool.query('select feeding_id from kibble.feeding order by 1');
  expect(rows).toHaveLength(dueTimes.length);
});
