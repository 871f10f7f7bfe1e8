import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../../../server/adapter/postgres/schema/migrate.ts';
import { type OrmDatabase, ormDatabase } from '../../../support/postgres/orm-database.ts';
import { schemaShape } from '../../../support/postgres/schema-shape.ts';

const schema = 'kibble';
let database: OrmDatabase;
let shapeOfEntities: readonly string[];

beforeAll(async () => {
  const made = await ormDatabase(inject('postgresUrl'), schema);
  await made.pool.query(`create schema ${schema}`);
  await made.dataSource.synchronize();
  shapeOfEntities = await schemaShape(made.pool, schema, 'migration');
  await made.drop();
});

beforeEach(async () => {
  database = await ormDatabase(inject('postgresUrl'), schema);
  await migrate(database.dataSource);
});

afterEach(() => database.drop());

describe('after the migrations', () => {
  it('the schema builder finds nothing to change', async () => {
    await expect(toChange()).resolves.toEqual([]);
  });

  it('the tables are, check by check and index by index, what the entities would make', async () => {
    await expect(shape()).resolves.toEqual(shapeOfEntities);
  });

  it('what only the SQL says is there: free room in pages, ids by identity, an index of beginnings', async () => {
    const options = await database.pool.query<{ relname: string; reloptions: string[] }>(
      `select relname, reloptions from pg_class
       where relnamespace = $1::regnamespace and relkind = 'r' and reloptions is not null`,
      [schema],
    );
    const identity = await database.pool.query(
      'select attname from pg_attribute where attrelid = $1::regclass and attidentity = $2',
      [`${schema}.timer`, 'a'],
    );

    expect(Object.fromEntries(options.rows.map(({ relname, reloptions }) => [relname, reloptions[0]]))).toEqual({
      home: 'fillfactor=70',
      thing: 'fillfactor=70',
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
    expect(identity.rows).toEqual([{ attname: 'id' }]);
  });
});

describe('the schema builder sees', () => {
  it.each([
    'alter table kibble.thing drop column title',
    'alter table kibble.thing alter column version type bigint',
    'alter table kibble.event alter column body drop not null',
    'alter table kibble.event alter column command_id type text collate "default"',
    'alter table kibble.timer_due alter column revision set default 0',
    'alter table kibble.home add column note text',
    'alter table kibble.home drop constraint home_items_whole',
    'drop index kibble.event_command',
    'drop table kibble.timer_pause',
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
  ])('%s', async (statement) => {
    await database.pool.query(statement);

    await expect(shape()).resolves.not.toEqual(shapeOfEntities);
  });
});

const toChange = async (): Promise<readonly string[]> => {
  const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
};

const shape = () => schemaShape(database.pool, schema, 'migration');
