import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { petsHistory } from '../../../load/seed-history.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresRetainedStore } from '../../../server/adapter/postgres/home/retained-store.ts';
import { PostgresVerifyStore } from '../../../server/adapter/postgres/ops/verify-store.ts';
import { seed } from '../../../server/ops/offline/seed.ts';
import {
  type HomeDifference,
  type VerifyOptions,
  type VerifyProgress,
  verify,
} from '../../../server/ops/offline/verify.ts';
import { defaultCatalogue } from '../../../shared/pets/catalogue.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { silentLog } from '../../support/log/logs.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

const schema = 'kibble';
const signal = new AbortController().signal;
let database: HomeDatabase;
let pool: Pool;

beforeEach(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  pool = database.pool;
  await sow(30);
});
afterEach(() => database.drop());

const sow = (players: number) =>
  seed({
    store: database.store,
    history: petsHistory(defaultCatalogue, { pets: 2, events: 12 }),
    onProgress: () => undefined,
    players,
    prefix: 'seed',
    seed: 7,
    signal,
  });

const check = async (more: Partial<Pick<VerifyOptions, 'checksItems' | 'onProgress' | 'signal'>> = {}) => {
  const differences: HomeDifference[] = [];
  const verified = await verify({
    modules: petsModules(),
    store: new PostgresVerifyStore({ database: new Database({ pool, schema }), modules: petsModules() }),
    checksItems: true,
    signal,
    onDifference: (difference) => differences.push(difference),
    onProgress: () => undefined,
    pageSize: 7,
    ...more,
  });
  return { ...verified, found: differences.map(({ playerId, at }) => `${playerId} ${at}`), all: differences };
};
const change = (statement: string) => pool.query(statement);

describe('the checker', () => {
  it('finds nothing wrong with what the rules wrote, also after old events were folded away', async () => {
    const first = await check();
    expect(first).toMatchObject({ players: 30, differences: 0, isComplete: true });
    expect(first.events).toBeGreaterThan(200);
    const retained = new PostgresRetainedStore({
      database: new Database({ pool, schema }),
      modules: petsModules(),
      log: silentLog,
    });
    for (let folded = 0; folded < 100; ) folded += await retained.foldEvents(Number.MAX_SAFE_INTEGER, 100 - folded);
    const later = await check();
    expect(later).toMatchObject({ players: 30, differences: 0 });
    expect(later.events).toBe(first.events - 100);
  });

  it('reads players with very long logs one by one', async () => {
    await change(`update kibble.home set seq = seq + 30000 where player_id = 'seed-0000002'`);
    const store = new PostgresVerifyStore({ database: new Database({ pool, schema }), modules: petsModules() });
    const ranges: number[] = [];
    for (let after = ''; ; ) {
      const range = await store.nextRange(after, 10);
      if (!range) break;
      ranges.push(range.players);
      after = range.upTo;
    }
    expect(ranges).toEqual([1, 1, 10, 10, 8]);
  });

  const bothDueTimes = ['p2', 'p3'].map((pet) => `things.pets.seed-0000003~${pet}.due_at`);
  it.each<[string, string, readonly string[]]>([
    [
      'a stolen item',
      `update kibble.home set items = jsonb_set(items, '{boost}', to_jsonb(coalesce((items->>'boost')::int, 0) + 1)) where player_id = 'seed-0000003'`,
      ['items.boost'],
    ],
    [
      'experience out of nowhere',
      `update kibble.thing set state = jsonb_set(state, '{xp}', '7777') where thing_id = 'seed-0000003~p2'`,
      ['things.pets.seed-0000003~p2.xp'],
    ],
    [
      'a pet that is gone',
      `delete from kibble.thing where thing_id = 'seed-0000003~p3'`,
      ['things.pets.seed-0000003~p3'],
    ],
    [
      'work that changed',
      `update kibble.thing set state = jsonb_set(state, '{feeding,work,leftMs}', '1') where thing_id = 'seed-0000003~p2'`,
      ['things.pets.seed-0000003~p2.feeding.work.leftMs'],
    ],
    [
      'a timer at another time',
      `update kibble.thing set due_at = due_at + 1 where player_id = 'seed-0000003'`,
      bothDueTimes,
    ],
    [
      'a timer that is gone',
      `update kibble.thing set due_at = null where player_id = 'seed-0000003' and due_at is not null`,
      bothDueTimes,
    ],
    ['a seq that ran ahead', `update kibble.home set seq = seq + 1 where player_id = 'seed-0000003'`, ['seq']],
    ['an event that is gone', `delete from kibble.event where player_id = 'seed-0000003' and seq = 4`, ['log']],
    [
      'an event that changed',
      `update kibble.event set body = jsonb_set(body, '{items,boost}', '9') where player_id = 'seed-0000003' and seq = 1`,
      ['items.boost'],
    ],
    ['a home that is gone', `delete from kibble.home where player_id = 'seed-0000003'`, ['event', 'thing']],
  ])('finds %s, and nothing else', async (_, statement, at) => {
    expect((await change(statement)).rowCount).toBeGreaterThan(0);
    const { found, differences } = await check();
    expect(differences).toBe(found.length);
    expect(found.toSorted()).toEqual(at.map((each) => `seed-0000003 ${each}`));
  });

  it('says what the log says, what the rows say, and which events were the last', async () => {
    await change(`update kibble.thing set state = jsonb_set(state, '{xp}', '777') where thing_id = 'seed-0000003~p2'`);
    const [difference] = (await check()).all;
    expect(difference).toMatchObject({
      at: 'things.pets.seed-0000003~p2.xp',
      found: 777,
      expected: expect.any(Number),
    });
    expect(difference?.events).toHaveLength(5);
  });

  it('leaves stocks out where a game keeps them itself', async () => {
    await change(`update kibble.home set items = '{}'`);
    expect((await check()).differences).toBeGreaterThan(0);
    expect((await check({ checksItems: false })).differences).toBe(0);
  });

  it('flags nothing while the players play', async () => {
    const homes = database.service();
    let [isOver, done, beside] = [false, 0, 0];
    const playing = (async () => {
      for (let round = 0; !isOver; round += 1) {
        const orders = Array.from({ length: 30 }, (_, at) => ({
          playerId: `seed-${String(at + 1).padStart(7, '0')}`,
          commandId: `command-${round}-${at}`,
          command: { type: 'home:grant', items: { snack: 1 }, reason: 'play' } as const,
        }));
        done += (await homes.handle(orders)).filter(({ ok }) => ok).length;
      }
    })();
    // Five checks during which something was committed.
    while (beside < 5) {
      const before = done;
      expect((await check()).found).toEqual([]);
      if (done > before) beside += 1;
    }
    isOver = true;
    await playing;
  });

  it('stopped in the middle has counted what it saw, and says that it is not all', async () => {
    const stopping = new AbortController();
    const told: VerifyProgress[] = [];
    const onProgress = (progress: VerifyProgress): void => {
      told.push(progress);
      stopping.abort();
    };
    const { players, events, isComplete } = await check({ signal: stopping.signal, onProgress });
    // The three readers end the pages that they have begun.
    expect([7, 14, 21]).toContain(players);
    expect(events).toBeGreaterThan(players);
    expect(told.at(-1)).toMatchObject({ done: players, events });
    expect(isComplete).toBe(false);
  });
});

describe('the seed', () => {
  it('goes on where it was, and makes the same players of the same number', async () => {
    expect(await sow(30)).toEqual({ players: 0, events: 0 });
    expect((await sow(33)).players).toBe(3);
    const { rows } = await pool.query('select count(*)::int as eating from kibble.thing where due_at is not null');
    expect(rows).toEqual([{ eating: 66 }]);
  });
});
