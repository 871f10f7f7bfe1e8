import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createPool } from '../../../../server/adapter/postgres/pool.ts';
import { createDataSource } from '../../../../server/adapter/postgres/schema/data-source.ts';
import { homeEntity, thingEntity } from '../../../../server/adapter/postgres/schema/home-entities.ts';
import { migrate } from '../../../../server/adapter/postgres/schema/migrate.ts';
import { silentLog } from '../../../support/log/logs.ts';
import { type OrmDatabase, ormDatabase } from '../../../support/postgres/orm-database.ts';

let database: OrmDatabase;

beforeAll(async () => {
  database = await ormDatabase(inject('postgresUrl'), 'kibble');
  await migrate(database.dataSource);
  await database.pool.query(
    `insert into kibble.home (player_id, seq, last_at, tx, opened) values ('ada', 3, 1800000000000, 0, '{pets}');
     insert into kibble.thing (player_id, module, thing_id, version, state, title, due_at, due_since)
       values ('ada', 'pets', 'ada~p2', 1, '{"xp": 40}', 'Rex', 1800000000000, 1790000000000)`,
  );
});

afterAll(() => database.drop());

const pools = {
  'our pool': () => createPool({ url: database.url, max: 2, log: silentLog }),
  "the host's pool": () => new Pool({ connectionString: database.url, max: 2 }),
};

describe.each(Object.entries(pools))('TypeORM on %s', (_, open) => {
  it('reads rows: instants and counts as numbers, ids as text', async () => {
    const pool = open();
    const dataSource = await createDataSource({ pool, schema: 'kibble', log: silentLog }).initialize();

    await expect(dataSource.getRepository(homeEntity).find()).resolves.toEqual([
      {
        playerId: 'ada',
        seq: 3,
        lastAtMs: 1_800_000_000_000,
        tx: 0,
        frozenAtMs: null,
        life: 0,
        opened: ['pets'],
        items: {},
        counters: {},
      },
    ]);
    await expect(dataSource.getRepository(thingEntity).findBy({ playerId: 'ada' })).resolves.toMatchObject([
      {
        thingId: 'ada~p2',
        state: { xp: 40 },
        title: 'Rex',
        id: '2',
        revision: 1,
        dueAtMs: 1_800_000_000_000,
        dueSinceMs: 1_790_000_000_000,
      },
    ]);
    await pool.end();
  });

  it('leaves the pool open when it is destroyed, without a client or a listener of its own', async () => {
    const pool = open();
    const listeners = pool.listenerCount('error');
    const dataSource = await createDataSource({ pool, schema: 'kibble', log: silentLog }).initialize();
    await dataSource.getRepository(homeEntity).find();

    await dataSource.destroy();

    expect(pool.listenerCount('error')).toBe(listeners);
    expect(pool.idleCount).toBe(pool.totalCount);
    await expect(pool.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
    await pool.end();
  });
});

it('can be initialized again after Postgres could not be reached', async () => {
  const pool = new Pool({ connectionString: database.url, max: 1 });
  const dataSource = createDataSource({ pool, schema: 'kibble', log: silentLog });
  const { connectionString } = pool.options;
  pool.options.connectionString = 'postgres://nobody@127.0.0.1:1/nothing';
  await expect(dataSource.initialize()).rejects.toThrow('ECONNREFUSED');

  pool.options.connectionString = connectionString;

  await expect(dataSource.initialize()).resolves.toBe(dataSource);
  await pool.end();
});
