import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { DueCheck, type DueCheckStore } from '../../../server/home/log/due-check.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';
import { differencesIn } from '../../support/postgres/timer-database.ts';
import { dueCheckScene, START_MS } from './due-check-scene.ts';

const HOUR_MS = 3_600_000;

let database: HomeDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  pool = database.pool;
});
beforeEach(async () => {
  await pool.query('truncate kibble.home, kibble.thing, kibble.event, kibble.home_hold');
});
afterAll(() => database.drop());

const makeScene = (players: readonly string[]) => dueCheckScene(database, players);
const differences = () => differencesIn(pool);

const of = "player_id = 'ann'";
const faults: readonly (readonly [name: string, statement: string])[] = [
  ['removed', `update kibble.thing set due_at = null where ${of}`],
  ['moved', `update kibble.thing set due_at = due_at + 7 where ${of}`],
  ['put off for a day', `update kibble.thing set due_at = due_at + 86400000 where ${of}`],
  ['brought forward', `update kibble.thing set due_at = due_at - 60000 where ${of}`],
  ['brought into the past', `update kibble.thing set due_at = 1 where ${of}`],
];

describe('due times that were changed behind our back', () => {
  it.each(faults)(
    '%s: are verified to differ, and healed when the player joins; the index is told',
    async (_name, sql) => {
      const { service, rows } = await makeScene(['ann']);
      const before = await rows();
      expect((await pool.query(sql)).rowCount).toBe(2);
      expect(await differences()).toHaveLength(2);
      database.told.length = 0;
      await service.look(['ann']);
      expect(await rows()).toEqual(before);
      expect(database.told.flatMap(({ put }) => put)).toMatchObject([
        { owner: 'ann', revision: 3, fireAtMs: START_MS + 4 * HOUR_MS },
        { owner: 'ann', revision: 3, fireAtMs: START_MS + 4 * HOUR_MS },
      ]);
      expect(await differences()).toEqual([]);
      database.told.length = 0;
      await service.look(['ann']);
      expect(database.told.flatMap(({ put, remove }) => [...put, ...remove])).toEqual([]);
    },
  );

  it('are left by a quote, so that the next look heals them and tells the index', async () => {
    const { service, rows } = await makeScene(['ann']);
    await pool.query(`update kibble.thing set due_at = due_at + 7 where ${of}`);
    const before = await rows();
    await service.quote('ann', { type: 'home:adopt', name: 'Rex', species: 'dog' });
    expect(await rows()).toEqual(before);
    database.told.length = 0;
    await service.look(['ann']);
    expect(database.told.flatMap(({ put }) => put)).toHaveLength(2);
  });

  it.each(faults)('%s: are healed within a minute when no player comes', async (_name, sql) => {
    const { checkFor, rows } = await makeScene(['ann', 'bob', 'cleo']);
    await checkFor(5000);
    const before = await rows();
    expect((await pool.query(sql)).rowCount).toBe(2);
    await checkFor(60_000);
    expect(await rows()).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it.each(faults)('%s: each feeding completes once, at its time', async (_name, sql) => {
    const { clock, checkFor, service } = await makeScene(['ann', 'bob']);
    await pool.query(sql);
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

  it('are healed by a command as well', async () => {
    const { service, rows } = await makeScene(['ann']);
    const before = await rows();
    await pool.query('update kibble.thing set due_at = due_at + 7');
    const command = { type: 'home:grant', items: { snack: 1 }, reason: 'gift' } as const;
    await service.handle([{ playerId: 'ann', commandId: 'command-late', command }]);
    expect(await rows()).toEqual(before);
  });
});

describe('the check', () => {
  it('writes nothing where all due times are right, also while feedings are overdue and their home is on hold', async () => {
    const { clock, checkFor } = await makeScene(['ann']);
    clock.advance(4 * HOUR_MS);
    const held = { owner: 'ann', untilMs: clock.nowMs() + 60_000, attempt: 5 };
    await database.timers.hold([held]);
    const stored = async () => (await pool.query('select due_at, revision, xmin from kibble.thing order by id')).rows;
    const before = await stored();
    await checkFor(60_000);
    expect(await stored()).toEqual(before);
  });

  it('forgets a hold that ended an hour ago, and no other', async () => {
    const { clock, checkFor } = await makeScene(['ann', 'bob']);
    const ago = (owner: string, ms: number) => ({ owner, untilMs: clock.nowMs() - ms, attempt: 1 });
    await database.timers.hold([ago('ann', HOUR_MS + 1000), ago('bob', HOUR_MS - 60_000)]);
    await checkFor(1000);
    expect((await pool.query('select player_id from kibble.home_hold')).rows).toEqual([{ player_id: 'bob' }]);
  });

  it('does not mind a home that another transaction has locked, and heals it at the next pass', async () => {
    const { checkFor, rows } = await makeScene(['ann', 'bob']);
    const before = await rows();
    await pool.query('update kibble.thing set due_at = null');
    const locker = await pool.connect();
    await locker.query(`begin; select from kibble.home where player_id = 'ann' for update`);
    await checkFor(20_000);
    const ofBob = ({ player_id }: { readonly player_id: string }): boolean => player_id === 'bob';
    expect((await rows()).filter(ofBob)).toEqual(before.filter(ofBob));
    expect((await rows()).filter(({ due_at }) => due_at === null)).toHaveLength(2);
    await locker.query('rollback');
    locker.release();
    await checkFor(40_000);
    expect(await rows()).toEqual(before);
  });

  it('leaves things alone that no rules here can read', async () => {
    const { checkFor, rows } = await makeScene(['ann']);
    await pool.query(`insert into kibble.thing (player_id, module, thing_id, version, state, due_at, due_since) values
      ('bob', 'farm', 'field', 1, '{}', 5, 0), ('bob', 'pets', 'bob~p1', 99, '{}', 5, 0)`);
    const before = await rows();
    await checkFor(60_000);
    expect(await rows()).toEqual(before);
  });
});

describe('the pace of the check', () => {
  /** So many things, as pages. */
  const paged = (things: number) => {
    const asked = { things: 0 };
    const store: DueCheckStore = {
      things: async (after, limit) => {
        const from = Number(after.thingId);
        const count = Math.min(limit, things - from);
        asked.things += count;
        const thingId = String(from + count);
        return Array.from({ length: count }, () => ({ ...after, thingId, thing: undefined, dueAtMs: undefined }));
      },
      forgetHolds: async () => undefined,
    };
    const clock = new ManualClock(START_MS);
    const check = new DueCheck({
      modules: petsModules(),
      store,
      monotonicMs: clock.monotonicMs,
      look: async () => undefined,
    });
    return { asked, check, clock };
  };

  it('is such that 20,000 homes of five things are looked at twice within a minute', async () => {
    const { asked, check, clock } = paged(100_000);
    for (const untilMs = START_MS + 60_000; clock.nowMs() < untilMs; ) clock.advance(await check.tick());
    expect(asked.things).toBeGreaterThanOrEqual(200_000);
  });

  it('is no more than a few thousand rows a second, however many there are', async () => {
    const { asked, check, clock } = paged(10_000_000);
    for (const untilMs = START_MS + 60_000; clock.nowMs() < untilMs; ) clock.advance(await check.tick());
    expect(asked.things / 60).toBeLessThanOrEqual(5000);
  });
});
