import { Pool } from 'pg';
import { type DataSource, MigrationExecutor } from 'typeorm';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Database } from '../../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../../server/adapter/postgres/home/home-store.ts';
import { createDataSource } from '../../../../server/adapter/postgres/schema/data-source.ts';
import { epochEntity } from '../../../../server/adapter/postgres/schema/home-entities.ts';
import { migrate } from '../../../../server/adapter/postgres/schema/migrate.ts';
import { limits } from '../../../../server/settings/config.ts';
import { petsModules } from '../../../../testing/pets-engine.ts';
import { silentLog } from '../../../support/log/logs.ts';
import { type OrmDatabase, ormDatabase, schemaShape } from '../../../support/postgres/orm-database.ts';
import { keptHomes, makeOldRelease } from '../../../support/postgres/releases.ts';

const all = ['Baseline1795564800001', 'Rules1795651200002', 'Chance1795737600003', 'JobCounts1795824000004'];
/** The migrations that the baseline took the place of. */
const madeBefore = [
  'Homes1795219200001',
  'Timers1795219200002',
  'TimerIndex1795219200003',
  'Consumers1795219200004',
  'Retention1795219200005',
  'IndexCare1795219200006',
  'Operations1795219200007',
  'Clock1795219200008',
  'Revoked1795219200009',
  'TimerTurns1795219200010',
  'Things1795219200011',
  'TimerDue1795219200012',
  'TimerRecurrence1795219200013',
  'TimerCommands1795219200014',
  'DerivedTimers1795219200015',
];
let database: OrmDatabase;

beforeEach(async () => {
  database = await ormDatabase(inject('postgresUrl'), 'kibble');
});

afterEach(() => database.drop());

const pendingMigrations = async (dataSource: DataSource): Promise<readonly string[]> =>
  (await new MigrationExecutor(dataSource).getPendingMigrations()).map(({ name }) => name);

describe('migrate', () => {
  it('makes the schema and everything in it, once', async () => {
    await expect(pendingMigrations(database.dataSource)).resolves.toEqual(all);
    await expect(migrate(database.dataSource)).resolves.toEqual(all);

    await expect(pendingMigrations(database.dataSource)).resolves.toEqual([]);
    await expect(migrate(database.dataSource)).resolves.toEqual([]);
  });

  it('keeps all its tables in its own schema, the list of migrations too', async () => {
    await migrate(database.dataSource);

    const { rows } = await database.pool.query<{ place: string }>(
      `select distinct relnamespace::regnamespace::text as place from pg_class
       where relkind in ('r', 'S') and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'`,
    );

    expect(rows).toEqual([{ place: 'kibble' }]);
  });

  it('gives each database an epoch of its own, which stays', async () => {
    await migrate(database.dataSource);
    const first = await epochOf(database);
    await migrate(database.dataSource);
    const other = await ormDatabase(inject('postgresUrl'), 'kibble');
    await migrate(other.dataSource);

    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(await epochOf(database)).toBe(first);
    expect(await epochOf(other)).not.toBe(first);
    await other.drop();
  });

  it('gives a database of the release before a secret, and knows whom it erased', async () => {
    await makeOldRelease(database, keptHomes());
    const byEpoch = `encode(sha256(convert_to(epoch || '~' || 'ann', 'UTF8')), 'hex')`;
    await database.pool.query(`insert into kibble.erased select ${byEpoch}, 2 from kibble.epoch`);
    await migrate(database.dataSource);

    const { rows } = await database.pool.query('select epoch, secret, erased_salt from kibble.epoch');
    expect(rows[0]).toMatchObject({ secret: expect.stringMatching(/^[0-9a-f-]{72}$/), erased_salt: rows[0].epoch });
    const homes = await database.pool.query('select distinct counters from kibble.home');
    expect(homes.rows).toEqual([{ counters: {} }]);
    const own = new Database({ pool: database.pool, schema: 'kibble' });
    const store = new PostgresHomeStore({ database: own, modules: petsModules(), limits: limits.transaction });
    expect(await store.epoch('ann')).toBe(`${rows[0].epoch}.2`);
    // What TypeORM reads of the row for operators has no secret in it.
    expect(await database.dataSource.getRepository(epochEntity).find()).toEqual([
      { isOne: true, epoch: rows[0].epoch, erasedSalt: rows[0].erased_salt },
    ]);
  });

  it('counts the targets of jobs from before in the rows of the jobs', async () => {
    await migrate(database.dataSource);
    await database.dataSource.undoLastMigration();
    await database.pool.query(`
      insert into kibble.job select id, 'ann', 'gift', '{}', 'running', 100, 0, 0 from unnest(array['j1', 'j2']) as id;
      insert into kibble.job_target values ('j1', 'a', 'done', null), ('j1', 'b', 'done', null), ('j1', 'c', 'waiting', null),
        ('j1', 'd', 'refused', 'item/full'), ('j1', 'e', 'refused', 'item/full'), ('j1', 'f', 'refused', 'home/frozen')`);
    await migrate(database.dataSource);

    const counts = await database.pool.query('select job_id, total, done, refusals from kibble.job order by job_id');
    expect(counts.rows).toEqual([
      { job_id: 'j1', total: 6, done: 2, refusals: { 'item/full': 2, 'home/frozen': 1 } },
      { job_id: 'j2', total: 0, done: 0, refusals: {} },
    ]);
  });

  it('goes back step by step, leaves nothing, and makes the same again', async () => {
    await migrate(database.dataSource);
    const made = await shape();

    for (const _ of all) await database.dataSource.undoLastMigration();
    await expect(shape()).resolves.toEqual([]);

    await expect(migrate(database.dataSource)).resolves.toEqual(all);
    await expect(shape()).resolves.toEqual(made);
  });

  it('refuses a database that a newer version has migrated, and changes nothing', async () => {
    await migrate(database.dataSource);
    await database.pool.query(
      `insert into kibble.migration (timestamp, name) values (2000000000000, 'Comets2000000000000')`,
    );
    const made = await shape();

    await expect(migrate(database.dataSource)).rejects.toMatchObject({ code: 'database/newer' });

    expect(await shape()).toEqual(made);
  });

  it.each(madeBefore)('refuses a database with the stamp %s, says what to do, and changes nothing', async (stamp) => {
    await database.pool.query(
      `create schema kibble; create table kibble.home (player_id text primary key);
       create table kibble.migration (id serial primary key, timestamp bigint not null, name varchar not null);
       insert into kibble.migration (timestamp, name) values (${stamp.slice(-13)}, '${stamp}')`,
    );
    const made = await shape();

    await expect(migrate(database.dataSource)).rejects.toMatchObject({
      code: 'database/before-0.2',
      message: expect.stringMatching(/never published.*dump what you need.*another database.*schema: 'kibble_2'/),
    });

    expect(await shape()).toEqual(made);
  });

  it('runs in one of several processes that start at once; the others wait for it', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const pool = new Pool({ connectionString: database.url });
        return { pool, dataSource: await createDataSource({ pool, schema: 'kibble', log: silentLog }).initialize() };
      }),
    );

    const done = await Promise.all([database, ...others].map(({ dataSource }) => migrate(dataSource)));

    expect(done.filter((names) => names.length > 0)).toEqual([all]);
    await Promise.all(others.map(({ pool }) => pool.end()));
  });

  it('changes nothing when a migration fails', async () => {
    await database.pool.query('create schema kibble; create type kibble.timer as ()');

    await expect(migrate(database.dataSource)).rejects.toThrow('already exists');

    await expect(pendingMigrations(database.dataSource)).resolves.toEqual(all);
    expect(await shape()).toEqual([]);
  });

  it('needs no right to create schemas where its schema exists', async () => {
    const { rows } = await database.pool.query('select current_database() as name');
    const role = `tenant_of_${rows[0]?.name}`;
    await database.pool.query(`create role ${role} login password 'x'; create schema kibble authorization ${role}`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'x';
    const pool = new Pool({ connectionString: url.href });
    const dataSource = await createDataSource({ pool, schema: 'kibble', log: silentLog }).initialize();

    await expect(migrate(dataSource)).resolves.toEqual(all);

    await pool.end();
    await database.pool.query(`drop owned by ${role}; drop role ${role}`);
  });
});

const shape = () => schemaShape(database.pool, 'kibble', ['migration']);

const epochOf = async ({ dataSource }: OrmDatabase): Promise<string | undefined> =>
  (await dataSource.getRepository(epochEntity).findOneBy({ isOne: true }))?.epoch;
