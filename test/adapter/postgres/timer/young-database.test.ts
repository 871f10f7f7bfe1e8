import type { PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { timerSql } from '../../../../server/adapter/postgres/timer/timer-sql.ts';
import { type HomeDatabase, homeDatabase } from '../../../support/postgres/home-database.ts';
import { insertTimers } from '../../../support/postgres/timer-database.ts';

/** Of each sort of rows, once the plans are made. */
const ROWS = 20_000;
/** The most pages that a statement for three rows may read; each table has more. */
const MOST_BLOCKS = 80;

const sql = timerSql('kibble');
/** Each with parameters for three rows. */
const statements = {
  readThings: `array['p100','p200','p300'], array[200,400,600], null`,
  stillDue: `array['p100','p200','p300'], array[200,400,600], array[1,1,1], null`,
  overdue: `array['feeding','order'], 500, 0, 20000, 3`,
  page: `500, 0, 3`,
  listByOwners: `array['p100','p200','p300']`,
  release: `array['p100','p200','p300']`,
  findByKey: `array['order','order','order'], array['s100','s200','s300']`,
} satisfies Partial<Record<keyof typeof sql, string>>;

let database: HomeDatabase;
let client: PoolClient;

beforeEach(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  client = await database.pool.connect();
  for (const table of ['thing', 'home_hold', 'timer', 'timer_due']) {
    await client.query(`alter table kibble.${table} set (autovacuum_enabled = off)`);
  }
  await client.query('set plan_cache_mode = force_generic_plan');
});
afterEach(async () => {
  client.release();
  await database.drop();
});

/** Players with a thing, a timer and a hold each. */
const fill = async (): Promise<void> => {
  await client.query(
    `insert into kibble.thing (player_id, module, thing_id, version, state, due_at, due_since)
       select 'p' || n, 'pets', 'pet', 1, '{}', n, 0 from generate_series(1, ${ROWS}) n order by n`,
  );
  await client.query(
    `insert into kibble.home_hold (player_id, until_at, attempt, updated_at)
       select 'p' || n, n, 1, ${ROWS} from generate_series(1, ${ROWS}) n`,
  );
  await client.query(insertTimers(`select 'order', 's' || n, 'p' || n, n from generate_series(1, ${ROWS}) n`));
};

/** A walk over a table, or over the index of owners or of ended keys, for each timer that is looked up. */
const WALK = /Seq Scan on timer(_due)? x|timer_scheduled_owner on timer x|Index Scan using timer_fired_key on timer x/;

describe('a plan that was made while the planner knew of no rows', () => {
  /** Plans on empty tables, and runs when they are full: the blocks that were read, and how many rows came of it. */
  const run = async (text: string, parameters: string) => {
    await client.query(`prepare young as ${text}`);
    await client.query(`execute young(${parameters})`);
    await fill();
    const { rows } = await client.query(`explain (analyze, buffers, format json) execute young(${parameters})`);
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return { blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], rows: plan['Actual Rows'] };
  };

  it.each(Object.entries(statements))('reads of no table and no index the whole: %s', async (name, parameters) => {
    const { blocks, rows } = await run(sql[name as keyof typeof statements], parameters);
    expect(rows).toBe({ listByOwners: 6, release: 0 }[name] ?? 3);
    expect(blocks).toBeLessThan(MOST_BLOCKS);
  });

  it.each(['findById', 'changeById', 'changeByKey', 'lockTargets', 'revive', 'scheduleOrMove'] as const)(
    'finds rows by indexes: %s',
    async (name) => {
      const { rows } = await client.query(`explain (generic_plan) ${sql[name]}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(name === 'revive' ? /timer_pkey on timer x/ : /timer_due_pkey on timer_due x/);
      expect(plan).not.toMatch(WALK);
    },
  );

  it('is seen where it does: the planted fault', async () => {
    const byId = 'select id from kibble.thing where due_at is not null and id = any($1::bigint[])';
    const { blocks, rows } = await run(byId, 'array[200,400,600]');
    expect(rows).toBe(3);
    expect(blocks).toBeGreaterThan(MOST_BLOCKS);
  });
});
