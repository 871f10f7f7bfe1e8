import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { entities } from '../../../../server/adapter/postgres/schema/data-source.ts';
import { tables } from '../../../../server/adapter/postgres/schema/migrations.ts';
import { migratedDatabase } from '../../../support/postgres/home-database.ts';
import { type OrmDatabase, ormDatabase, schemaShape } from '../../../support/postgres/orm-database.ts';

const schema = 'kibble';
/** Tables that TypeORM does not read. Nothing checks their SQL but the statements that use it. */
const withoutEntity = [
  'clock',
  'consumer',
  'erased',
  'home_hold',
  'revoked',
  'timer',
  'timer_command',
  'timer_due',
  'timer_kind',
  'timer_pause',
  'rules',
];
let database: OrmDatabase;
let shapeOfEntities: readonly string[];

beforeAll(async () => {
  const made = await ormDatabase(inject('postgresUrl'), schema);
  await made.pool.query(`create schema ${schema}`);
  await made.dataSource.synchronize();
  shapeOfEntities = await schemaShape(made.pool, schema, ['migration']);
  await made.drop();
});

beforeEach(async () => {
  database = await ormDatabase(inject('postgresUrl'), schema, migratedDatabase);
});

afterEach(() => database.drop());

describe('after the migrations', () => {
  it('the schema builder finds nothing to change', async () => {
    await expect(toChange()).resolves.toEqual([]);
  });

  it('there are these tables and no others; each has an entity, or is named here as one without', async () => {
    const { rows } = await database.pool.query<{ relname: string }>(
      `select relname from pg_class where relnamespace = $1::regnamespace and relkind = 'r' and relname <> 'migration'`,
      [schema],
    );
    const made = rows.map(({ relname }) => relname).sort();
    expect([...tables].sort()).toEqual(made);
    expect([...entities.map(({ options }) => options.name), ...withoutEntity].sort()).toEqual(made);
  });

  it('tables with an entity are, check by check and index by index, what it would make', async () => {
    await expect(shape()).resolves.toEqual(shapeOfEntities);
  });

  it('what only the SQL says is there: free room in pages, ids by identity, an index of beginnings', async () => {
    const options = await database.pool.query<{ relname: string; reloptions: string[] }>(
      `select relname, reloptions from pg_class
       where relnamespace = $1::regnamespace and relkind = 'r' and reloptions is not null`,
      [schema],
    );
    const identity = await database.pool.query(
      `select c.relname, a.attname, s.seqstart::int, s.seqincrement::int
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       join pg_sequence s on s.seqrelid = pg_get_serial_sequence(c.oid::regclass::text, a.attname)::regclass
       where c.relname in ('timer', 'thing') and c.relnamespace = $1::regnamespace and a.attidentity = 'a' order by 1`,
      [schema],
    );

    expect(Object.fromEntries(options.rows.map(({ relname, reloptions }) => [relname, reloptions[0]]))).toEqual({
      home: 'fillfactor=70',
      home_hold: 'fillfactor=70',
      thing: 'fillfactor=90',
      timer: 'fillfactor=90',
      timer_due: 'fillfactor=85',
      consumer: 'fillfactor=50',
      job_target: 'fillfactor=70',
    });
    const prefixes = await database.pool.query<{ indexdef: string }>(
      `select indexdef from pg_indexes where schemaname = $1 and indexname like '%_prefix' order by 1`,
      [schema],
    );
    expect(prefixes.rows.map(({ indexdef }) => indexdef)).toEqual([
      expect.stringContaining('btree (lower(title) text_pattern_ops)'),
    ]);
    // No id is of both tables.
    expect(identity.rows).toEqual([
      { relname: 'thing', attname: 'id', seqstart: 2, seqincrement: 2 },
      { relname: 'timer', attname: 'id', seqstart: 1, seqincrement: 2 },
    ]);
  });

  it('a view has every scheduled timer, of own kinds and of things', async () => {
    await database.pool.query(`
      insert into kibble.timer_kind (kind, registered_at, module, is_retired)
        values ('feeding', 1, 'pets', false), ('stall', 1, 'shop', true), ('order', 1, null, false);
      insert into kibble.thing (player_id, module, thing_id, version, state, due_at, due_since)
        values ('ada', 'pets', 'rex', 1, '{}', 5, 1), ('ada', 'pets', 'cat', 1, '{}', null, 1),
          ('bob', 'pets', 'rex', 1, '{}', 7, 1), ('ada', 'shop', 'one', 1, '{}', 6, 1);
      insert into kibble.home_hold (player_id, until_at, attempt, last_error, updated_at) values ('ada', 99, 2, 'no', 5);
      insert into kibble.timer (kind, subject, owner, created_at) values ('order', 'a', 'ada', 1);
      insert into kibble.timer_due (id, kind, owner, due_at, fire_at, updated_at) values (1, 'order', 'ada', 3, 4, 1)`);
    const { rows } = await database.pool.query('select * from kibble.timers order by id');
    const ids = rows.map(({ id }) => Number(id));
    expect(ids).toEqual([1, 2, 6]);
    expect(rows.map(({ id: _, ...row }) => Object.values(row).join(' '))).toEqual([
      'order a ada 3 4 0 ',
      'feeding ada~rex ada 5 99 2 no',
      'feeding bob~rex bob 7 7 0 ',
    ]);
  });
});

describe('the schema builder sees', () => {
  it.each([
    'alter table kibble.thing drop column title',
    'alter table kibble.thing drop column due_since',
    'drop index kibble.thing_due',
    'alter table kibble.timer_index alter column shards drop not null',
    'alter table kibble.job_target alter column state drop default',
    'alter table kibble.thing alter column version type bigint',
    'alter table kibble.event alter column body drop not null',
    'alter table kibble.event alter column command_id type text collate "default"',
    'alter table kibble.timer_index alter column pulse set default 1',
    'alter table kibble.home add column note text',
    'alter table kibble.home drop constraint home_items_whole',
    'drop index kibble.event_command',
    'drop table kibble.job_target',
  ])('%s', async (statement) => {
    await database.pool.query(statement);

    await expect(toChange()).resolves.not.toEqual([]);
  });
});

// TypeORM compares checks by name alone, and indexes by name and columns.
describe('the comparison with what the entities would make sees', () => {
  it.each([
    `alter table kibble.home drop constraint home_seq_check, add constraint home_seq_check check (seq >= 0)`,
    `alter table kibble.thing drop constraint thing_pkey, add primary key (module, player_id, thing_id)`,
    `drop index kibble.event_command;
     create unique index event_command on kibble.event (command_id, player_id) where command_id is not null`,
    'drop index kibble.thing_due; create index thing_due on kibble.thing (due_at, id)',
  ])('%s', async (statement) => {
    await database.pool.query(statement);

    await expect(shape()).resolves.not.toEqual(shapeOfEntities);
  });
});

const toChange = async (): Promise<readonly string[]> => {
  const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
};

const shape = () => schemaShape(database.pool, schema, ['migration', ...withoutEntity]);
