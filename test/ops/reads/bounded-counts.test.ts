import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { ALONG_INDEXES, boundedSql } from '../../../server/adapter/postgres/ops/ops-sql.ts';
import { listSql } from '../../../server/adapter/postgres/ops/timer-filter.ts';
import { BUCKET_COUNTED_TO, COUNTED_TO } from '../../../server/timer/model/timer-counts.ts';
import { HOUR_MS, type OpsServer, START_MS, startOpsServer } from '../../support/game/ops-server.ts';
import { insertTimers } from '../../support/postgres/timer-database.ts';

const THINGS = 2 * COUNTED_TO;
const ORDERS = 100;

let server: OpsServer;

/** On tables that no vacuum has seen, as on the day of a launch. */
beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'), { kinds: [{ kind: 'order', fire: async () => undefined }] });
  for (const table of ['home', 'thing', 'timer', 'timer_due']) {
    await server.pool.query(`alter table kibble.${table} set (autovacuum_enabled = off)`);
  }
  await server.pool.query(
    `insert into kibble.home (player_id, seq, last_at, tx, opened)
       select 'p' || n, 1, 1, 1, '{}' from generate_series(1, ${COUNTED_TO - 1}) n`,
  );
  await server.pool.query(
    `insert into kibble.thing (player_id, module, thing_id, version, state, title, due_at, due_since)
       select 'p' || n, 'pets', 'pet', 1, '{}', 'Rex', ${START_MS + 2 * HOUR_MS} + n, 0 from generate_series(1, ${THINGS}) n`,
  );
  await server.pool.query(
    insertTimers(`select 'order', 's' || n, 'p' || n, ${START_MS + HOUR_MS} + n from generate_series(1, ${ORDERS}) n`),
  );
});
afterAll(() => server.close());

it('counts of the overview are exact below the bound, and stop at it', async () => {
  const { body } = await server.ask('overview');
  expect(body).toMatchObject({ countedTo: COUNTED_TO, pending: COUNTED_TO, overdue: 0, players: COUNTED_TO - 1 });
});

it('a list counts up to the bound, and all rows of a rare kind', async () => {
  const all = await server.ask('timers', {}, { limit: '1' });
  expect(all.body).toMatchObject({ countedTo: COUNTED_TO, count: COUNTED_TO, timers: [{ kind: 'order' }] });
  const rare = await server.ask('timers', {}, { kind: 'order', limit: '1' });
  expect(rare.body).toMatchObject({ count: ORDERS, next: expect.any(String) });
});

it('each bar counts up to the bound', async () => {
  const { body } = await server.ask('upcoming', {}, { window: '24h' });
  expect(body.countedTo).toBe(BUCKET_COUNTED_TO);
  expect(body.buckets.map(({ count }) => count).slice(0, 4)).toEqual([0, ORDERS, BUCKET_COUNTED_TO, 0]);
  expect(body).toMatchObject({ overdue: 0, later: 0 });
});

it.each([
  ['thingsByTitle', ['rex%', 20], 20],
  ['counts', [null], COUNTED_TO],
  ['histogram', [[START_MS, START_MS + 24 * HOUR_MS]], BUCKET_COUNTED_TO],
  ['failedGroups', [10], 20],
] as const)('reads no table and no index beyond the bound while no timer is dead: %s', async (name, values, most) => {
  const client = await server.pool.connect();
  try {
    await client.query(`begin; ${ALONG_INDEXES}`);
    const { rows } = await client.query(`explain (analyze, format json) ${boundedSql('kibble')[name]}`, [...values]);
    expect(mostRead(rows[0]?.['QUERY PLAN'][0].Plan)).toBeLessThanOrEqual(most);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

it('walks along the time for the first page of all timers, also where the planner knows one module alone', async () => {
  await server.pool.query('analyze kibble.thing');
  const { text, values } = listSql(
    'kibble',
    { state: 'scheduled' },
    { limit: 20, outOf: COUNTED_TO, after: undefined },
  );
  const { rows } = await server.pool.query(`explain (analyze, format json) ${text}`, [...values]);
  expect(mostRead(rows[0]?.['QUERY PLAN'][0].Plan)).toBeLessThanOrEqual(ORDERS);
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** By the scan that read most. */
const mostRead = (plan: Plan): number => {
  const read = rowsRead(plan);
  expect(read).not.toHaveLength(0);
  return Math.max(...read);
};

/** By each scan of a table, a row that it threw away included. */
const rowsRead = (plan: Plan): readonly number[] => [
  ...(plan['Node Type'].endsWith('Scan') ? [plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)] : []),
  ...(plan.Plans ?? []).flatMap(rowsRead),
];
