import { expect, inject, it, onTestFinished } from 'vitest';
import { migrate } from '../../../../server/adapter/postgres/schema/migrate.ts';
import { PostgresTimerStore } from '../../../../server/adapter/postgres/timer/timer-store.ts';
import { type OrmDatabase, ormDatabase } from '../../../support/postgres/orm-database.ts';

/** The migrations after version 11. */
const SINCE_11 = [
  'TimerDue1795219200012',
  'TimerRecurrence1795219200013',
  'TimerCommands1795219200014',
  'DerivedTimers1795219200015',
];

const NOW_MS = 1_790_000_000_000;
const DUE_MS = NOW_MS + 1000;

/** Rows as version 11 has them, one of each sort. */
const rows = [
  { subject: 'plain', state: 'scheduled', revision: 1, payload: { a: 1 } },
  { subject: 'again', state: 'scheduled', revision: 7, turn: 3 },
  { subject: 'failed', state: 'scheduled', revision: 3, attempt: 2, last_error: 'no', fire_at: DUE_MS + 15_000 },
  { subject: 'claimed', state: 'scheduled', revision: 2, claims: 1, fire_at: DUE_MS + 30_000 },
  { subject: 'dead', state: 'dead', revision: 17, attempt: 16, last_error: 'no' },
  { subject: 'completed', state: 'completed', revision: 2, result: { xp: 1 } },
  { subject: 'cancelled', state: 'cancelled', revision: 2 },
].map((row, at) => ({
  id: at + 1,
  kind: 'order',
  owner: 'ann',
  due_at: DUE_MS,
  fire_at: DUE_MS,
  attempt: 0,
  turn: 1,
  claims: 0,
  payload: null,
  last_error: null,
  result: null,
  created_at: NOW_MS - 5,
  updated_at: NOW_MS,
  ...row,
}));

const insert = ({ pool }: OrmDatabase, into: readonly object[]) =>
  pool.query(
    `insert into kibble.timer overriding system value
     select (jsonb_populate_record(null::kibble.timer, r.value)).* from jsonb_array_elements($1::jsonb) r`,
    [JSON.stringify(into)],
  );

const ofVersion11 = async (): Promise<OrmDatabase> => {
  const database = await ormDatabase(inject('postgresUrl'), 'kibble');
  onTestFinished(() => database.drop());
  await migrate(database.dataSource);
  for (const _ of SINCE_11) await database.dataSource.undoLastMigration();
  await insert(database, rows);
  await database.pool.query(`select setval('kibble.timer_id_seq', 7)`);
  return database;
};

const timersIn = ({ pool }: OrmDatabase) =>
  new PostgresTimerStore({ pool, schema: 'kibble', nowMs: () => NOW_MS }).find(
    rows.map(({ id }) => ({ timerId: String(id) })),
  );

it('migration 12 leaves each timer as it was, scheduled, failed, claimed, dead or over', async () => {
  const database = await ofVersion11();
  expect(await migrate(database.dataSource)).toEqual(SINCE_11);
  expect(await timersIn(database)).toEqual(
    rows.map((row) => ({
      id: String(row.id),
      kind: row.kind,
      subject: row.subject,
      owner: row.owner,
      dueAtMs: row.due_at,
      fireAtMs: row.fire_at,
      isPaused: false,
      state: row.state,
      revision: row.revision,
      attempt: row.attempt,
      turn: row.turn,
      claims: row.claims,
      claimedAtMs: undefined,
      payload: row.payload ?? undefined,
      lastError: row.last_error ?? undefined,
      result: row.result ?? undefined,
      createdAtMs: row.created_at,
      updatedAtMs: row.updated_at,
    })),
  );
  const { rows: due } = await database.pool.query('select count(*)::int as count from kibble.timer_due');
  expect(due).toEqual([{ count: 4 }]);
});

it('the way back gives the rows of before, with what happened since', async () => {
  const database = await ofVersion11();
  await migrate(database.dataSource);
  const store = new PostgresTimerStore({ pool: database.pool, schema: 'kibble', nowMs: () => NOW_MS + 9 });
  await store.change([{ target: { timerId: '1' }, change: 'shift', byMs: 500 }], []);
  await store.save([
    {
      timerId: '2',
      revision: 7,
      state: 'scheduled',
      fireAtMs: 5,
      attempt: 0,
      again: { dueAtMs: 5, turn: 4, payload: 'new' },
    },
  ]);
  for (const _ of SINCE_11) await database.dataSource.undoLastMigration();
  const { rows: found } = await database.pool.query('select to_jsonb(t) as row from kibble.timer t order by id');
  const [plain, again, ...others] = rows;
  expect(found.map(({ row }) => row)).toEqual([
    { ...plain, due_at: DUE_MS + 500, fire_at: DUE_MS + 500, revision: 2, updated_at: NOW_MS + 9 },
    { ...again, due_at: 5, fire_at: 5, revision: 8, turn: 4, payload: 'new', updated_at: NOW_MS + 9 },
    ...others,
  ]);
});

it('what a process of version 11 would write is refused, and changes nothing', async () => {
  const database = await ofVersion11();
  await migrate(database.dataSource);
  const before = await timersIn(database);
  const scheduling = database.pool.query(
    `insert into kibble.timer (kind, subject, owner, due_at, fire_at, created_at, updated_at)
     values ('order', 'late', 'ann', 1, 1, 1, 1)`,
  );
  await expect(scheduling).rejects.toThrow('timer_over_check');
  const moving = database.pool.query(
    `update kibble.timer set due_at = 5, fire_at = 5, attempt = 0, revision = revision + 1, updated_at = 1
     where state = 'scheduled'`,
  );
  await expect(moving).rejects.toThrow('timer_over_check');
  const { rowCount } = await database.pool.query(
    `select from kibble.timer where state = 'scheduled' and fire_at <= ${DUE_MS}`,
  );
  expect(rowCount).toBe(0);
  expect(await timersIn(database)).toEqual(before);
});
