import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { RowCheck } from '../../../server/home/log/row-check.ts';
import type { HealedRows } from '../../../server/home/model/home-store.ts';
import { alwaysExclusive } from '../../../server/runtime/always-exclusive.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { differencesIn } from '../../support/postgres/differences-in.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';
import { endTimers, insertTimers, removeTimers } from '../../support/postgres/timer-rows.ts';
import { rowCheckScene, START_MS } from './row-check-scene.ts';

const HOUR_MS = 3_600_000;

let database: HomeDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  pool = database.pool;
});
beforeEach(async () => {
  await pool.query('truncate kibble.home, kibble.thing, kibble.event, kibble.timer, kibble.timer_due');
});
afterAll(() => database.drop());

const makeScene = (players: readonly string[]) => rowCheckScene(database, players);
const differences = () => differencesIn(pool);

const of = "t.owner = 'ann'";
const ofDue = "owner = 'ann'";
const faults: readonly (readonly [name: string, statement: string, healed: Partial<HealedRows>])[] = [
  ['removed', removeTimers(of), { missing: 2 }],
  [
    'doubled',
    insertTimers(
      `select t.kind, t.subject || '-twice', t.owner, d.due_at from kibble.timer t join kibble.timer_due d using (id) where ${of}`,
    ),
    { ghosts: 2 },
  ],
  ['moved', `update kibble.timer_due set due_at = due_at + 7, fire_at = fire_at + 7 where ${ofDue}`, { misplaced: 2 }],
  ['put off for a day', `update kibble.timer_due set fire_at = fire_at + 86400000 where ${ofDue}`, { misplaced: 2 }],
  ['brought forward', `update kibble.timer_due set fire_at = fire_at - 60000 where ${ofDue}`, { misplaced: 2 }],
  ['finished', endTimers('completed', of), { missing: 2 }],
  ['cancelled', endTimers('cancelled', of), { missing: 2 }],
];

describe('timer rows that were changed behind our back', () => {
  it.each(faults)('%s: are healed when the player joins, and the index is told', async (_name, statement, found) => {
    const { service, healed, rows } = await makeScene(['ann']);
    const before = await rows();
    expect(before).toHaveLength(2);
    expect((await pool.query(statement)).rowCount).toBe(2);
    database.told.length = 0;
    await service.look(['ann']);
    expect(await rows()).toEqual(before);
    expect(healed).toEqual([{ homes: 1, missing: 0, misplaced: 0, ghosts: 0, ...found }]);
    expect(database.told.flatMap(({ put, remove }) => [...put, ...remove])).toHaveLength(2);
    expect(await differences()).toEqual([]);
    await service.look(['ann']);
    expect(healed).toHaveLength(1);
  });

  it.each(faults)('%s: are healed within a minute when nobody comes', async (_name, statement, found) => {
    const { checkFor, healed, rows } = await makeScene(['ann', 'bob', 'cleo']);
    await checkFor(5000);
    const before = await rows();
    expect((await pool.query(statement)).rowCount).toBe(2);
    await checkFor(60_000);
    expect(await rows()).toEqual(before);
    expect(healed).toEqual([{ homes: 1, missing: 0, misplaced: 0, ghosts: 0, ...found }]);
    expect(await differences()).toEqual([]);
  });

  it('given to another owner: come back to their own', async () => {
    const { checkFor, rows } = await makeScene(['ann', 'bob']);
    const before = await rows();
    await pool.query(`with t as (update kibble.timer t set owner = 'bob' where ${of} returning id)
      update kibble.timer_due set owner = 'bob' where id in (select id from t)`);
    await checkFor(60_000);
    expect(await rows()).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it('of a player who is gone: end', async () => {
    const { checkFor, rows } = await makeScene(['ann']);
    const before = await rows();
    await pool.query(insertTimers(`values ('feeding', 'nobody~f3', 'nobody', 5)`));
    await checkFor(60_000);
    expect(await rows()).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it.each(faults)('%s: each feeding completes once, at its time', async (_name, statement) => {
    const { clock, checkFor, service } = await makeScene(['ann', 'bob']);
    await pool.query(statement);
    await checkFor(60_000);
    clock.advance(4 * HOUR_MS);
    await service.settle(['ann', 'bob']);
    await checkFor(60_000);
    const { rows } = await pool.query(
      `select player_id, at::float8 from kibble.event where type = 'feeding-completed' order by player_id`,
    );
    const at = START_MS + 4 * HOUR_MS;
    expect(rows).toEqual(['ann', 'ann', 'bob', 'bob'].map((player_id) => ({ player_id, at })));
    expect(await differences()).toEqual([]);
  });
});

describe('the check', () => {
  it('finds nothing where nobody changed anything, also after failed attempts and while feedings are overdue', async () => {
    const { clock, checkFor, healed } = await makeScene(['ann']);
    clock.advance(4 * HOUR_MS);
    await pool.query('update kibble.timer_due set fire_at = $1, attempt = 5', [clock.nowMs() + 60_000]);
    const { rows } = await pool.query('select revision from kibble.timer_due');
    await checkFor(60_000);
    expect(healed).toEqual([]);
    expect((await pool.query('select revision from kibble.timer_due')).rows).toEqual(rows);
  });

  it('does not mind a home that somebody has locked, and heals it at the next pass', async () => {
    const { checkFor, rows } = await makeScene(['ann', 'bob']);
    const before = await rows();
    await pool.query(removeTimers());
    const locker = await pool.connect();
    await locker.query(`begin; select from kibble.home where player_id = 'ann' for update`);
    await checkFor(20_000);
    expect(await rows()).toEqual(before.filter(({ owner }) => owner === 'bob'));
    await locker.query('rollback');
    locker.release();
    await checkFor(40_000);
    expect(await rows()).toEqual(before);
  });

  it('is not made by commands', async () => {
    const { service, healed } = await makeScene(['ann']);
    await pool.query(removeTimers());
    const command = { type: 'home:grant', items: { snack: 1 }, reason: 'gift' } as const;
    await service.handle([{ playerId: 'ann', commandId: 'command-late', command }]);
    expect(healed).toEqual([]);
  });
});

describe('the pace of the check', () => {
  /** So many feedings that run, and rows that are of none, as pages. */
  const paged = (feedings: number, rows: number) => {
    const asked = { feedings: 0, rows: 0 };
    const store: ConstructorParameters<typeof RowCheck>[0]['store'] = {
      nowMs: async () => START_MS,
      dueThings: async (after, limit) => {
        const from = Number(after.thingId);
        asked.feedings += Math.min(limit, feedings - from);
        const next = from + limit > feedings ? undefined : { ...after, thingId: String(from + limit) };
        return { things: [], next };
      },
      ghosts: async (after, limit) => {
        const from = Number(after?.timerId ?? 0);
        asked.rows += Math.min(limit, rows - from);
        const next = from + limit > rows ? undefined : { fireAtMs: 0, timerId: String(from + limit) };
        return { owners: [], next };
      },
    };
    const clock = new ManualClock(START_MS);
    const check = new RowCheck({
      store,
      exclusive: alwaysExclusive,
      monotonicMs: clock.monotonicMs,
      heal: async () => undefined,
    });
    return { asked, check, clock };
  };

  it('is such that 20,000 homes of five pets are compared twice within a minute', async () => {
    const { asked, check, clock } = paged(100_000, 100_000);
    for (const untilMs = START_MS + 60_000; clock.nowMs() < untilMs; ) clock.advance(await check.tick());
    expect(asked.feedings).toBeGreaterThanOrEqual(200_000);
    expect(asked.rows).toBeGreaterThanOrEqual(200_000);
  });

  it('is no more than a few thousand rows a second, however many there are', async () => {
    const { asked, check, clock } = paged(10_000_000, 10_000_000);
    for (const untilMs = START_MS + 60_000; clock.nowMs() < untilMs; ) clock.advance(await check.tick());
    expect(asked.feedings / 60).toBeLessThanOrEqual(5000);
    expect(asked.rows / 60).toBeLessThanOrEqual(20_000);
  });
});
