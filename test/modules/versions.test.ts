import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { village } from '../../examples/village.ts';
import { Database } from '../../server/adapter/postgres/database.ts';
import { PostgresRetainedStore } from '../../server/adapter/postgres/home/retained-store.ts';
import { retiredElsewhere } from '../../server/adapter/postgres/home/retired-elsewhere.ts';
import { PostgresVerifyStore } from '../../server/adapter/postgres/ops/verify-store.ts';
import { evolve } from '../../server/domain/evolve.ts';
import { Modules } from '../../server/domain/modules.ts';
import { createKibble, type Kibble, type KibbleOptions, pets } from '../../server/kibble.ts';
import { type HomeDifference, verify } from '../../server/ops/offline/verify.ts';
import { newHome } from '../../shared/home.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { defineModule } from '../../shared/module/module.ts';
import { gameThatChanges, START_MS } from '../support/game/game-that-changes.ts';
import { recordedLog, silentLog } from '../support/log/logs.ts';

const HOUR_MS = 3_600_000;

const withStarter = { ...village, starter: () => ({ wood: 30 }) };

it('opens a module for a player from before once, with the first accepted command; until then it is shown', async () => {
  const { release } = await gameThatChanges();
  const before = await release({ modules: [pets()] });
  await before.say('ann', 'home:adopt', { name: 'Rex', species: 'dog' });
  await before.end();
  const after = await release({ modules: [pets(), withStarter] });
  expect(await after.home('ann')).toMatchObject({ seq: 2, items: { wood: 30 }, opened: ['pets', 'village'] });
  expect(await after.say('ann', 'village:upgrade', { site: 'moat' })).toMatchObject({ ok: false });
  await after.say('ann', 'village:upgrade', { site: 'hall' });
  await after.say('ann', 'village:upgrade', { site: 'mill' });
  expect(await after.home('ann')).toMatchObject({ items: { wood: 10, 'dog-food': 10 } });
  const log = await after.kibble.service.sync('ann', { afterSeq: 2 });
  expect(log.ok && log.value.events[0]).toMatchObject({
    type: 'module-opened',
    module: 'village',
    items: { wood: 30 },
  });
  expect(log.ok && log.value.events.filter(({ type }) => type === 'module-opened')).toHaveLength(1);
  await after.end();
});

it('leaves a home alone whose module is not there; others go on, and nothing is lost', async () => {
  const { release } = await gameThatChanges();
  const with_ = await release({ modules: [pets(), withStarter] });
  await with_.say('ann', 'village:upgrade', { site: 'hall' });
  await with_.end();
  const without = await release({ modules: [pets()] });
  expect(await without.say('ann', 'home:adopt', { name: 'Rex', species: 'dog' })).toMatchObject({
    error: { code: 'server/unavailable', retryable: true },
  });
  expect(await without.say('bob', 'home:adopt', { name: 'Rex', species: 'dog' })).toMatchObject({ ok: true });
  await without.end();
  const again = await release({ modules: [pets(), withStarter] });
  expect((await again.home('ann'))?.things.village).toMatchObject({ hall: { level: 0 } });
  await again.end();
});

it('names the things of a retired module that stay with a merged guest', async () => {
  const { release, pool } = await gameThatChanges();
  const with_ = await release({ modules: [pets(), withStarter] });
  await with_.say('gast', 'village:upgrade', { site: 'hall' });
  await with_.end();
  const without = await release({ modules: [pets()], retired: ['village'] });
  await without.say('ann', 'home:adopt', { name: 'Rex', species: 'dog' });
  const { merge } = without.kibble.ops.handlers();
  const parts = { playerId: 'gast', timerId: '', jobId: '', kind: '', module: '' };
  const input = { into: 'ann', commandId: 'merge-of-gast', reason: 'asked' };
  const merged = await merge({ operator: { name: 'ada', role: 'admin' }, parts, input });
  expect(merged).toMatchObject({ value: { answer: { left: [{ module: 'village', thing: 'hall' }] } } });
  await without.end();
  const back = await release({ modules: [pets(), withStarter] });
  expect((await back.home('gast'))?.things.village).toMatchObject({ hall: { level: 0 } });
  const { rows } = await pool.query("select body->'left' as left from kibble.event where type = 'home-merged'");
  expect(rows).toEqual([{ left: [{ module: 'village', thing: 'hall' }] }]);
  await back.end();
});

it('fires nothing of a module that was taken out for good, keeps its things, and goes on when it is back', async () => {
  const { release, pool, clock } = await gameThatChanges();
  const with_ = await release({ modules: [pets(), withStarter] });
  await with_.say('ann', 'village:upgrade', { site: 'hall' });
  await with_.end();
  const stored = () =>
    pool.query("select id, due_at, revision from kibble.thing where module = 'village'").then(({ rows }) => rows);
  const before = await stored();
  expect(before).toMatchObject([{ due_at: expect.anything() }]);
  const without = await release({ modules: [pets()], retired: ['village'] });
  clock.advance(100 * HOUR_MS);
  await without.kibble.runDue();
  expect(await without.kibble.timers.listByOwner('ann')).toEqual([]);
  expect((await pool.query('select id from kibble.timers')).rows).toEqual([]);
  expect(await without.say('ann', 'home:adopt', { name: 'Rex', species: 'dog' })).toMatchObject({ ok: true });
  expect(await stored()).toEqual(before);
  await without.end();
  const back = await release({ modules: [pets(), withStarter] });
  await back.kibble.runDue();
  expect((await back.home('ann'))?.things.village).toMatchObject({ hall: { level: 1 } });
  await back.end();
});

/** The village's next release: a site counts its storeys from one, where version 1 had levels from nought. */
const storeys = defineModule({
  ...village,
  version: 2,
  thing: z.object({
    storeys: z.int(),
    queued: z.object({ sinceMs: z.int(), workMs: z.int() }).optional(),
    work: z.object({ leftMs: z.int(), sinceAtMs: z.int() }).optional(),
  }),
  initial: { storeys: 1 },
  events: { ...village.events, finished: z.object({ storeys: z.int() }) },
}).rules({
  decide: {
    upgrade: ({ payload, things }) => [
      { type: 'queued', thing: payload.site, workMs: (things[payload.site]?.storeys ?? 1) * HOUR_MS },
    ],
    'use-card': ({ refuse }) => refuse('village/idle'),
  },
  evolve: {
    queued: (site, { at, workMs }) => ({ ...site, queued: { sinceMs: at, workMs } }),
    started: ({ queued: _, ...site }, { work }) => ({ ...site, work }),
    'card-used': (site, { work }) => ({ ...site, work }),
    finished: ({ work: _, ...site }, { storeys }) => ({ ...site, storeys }),
  },
  dueAtMs: ({ work }) => work && work.sinceAtMs + work.leftMs,
  complete: ({ id, thing }) => [{ type: 'finished', thing: id, storeys: thing.storeys + 1 }],
  waitingSinceMs: ({ queued }) => queued?.sinceMs,
  goOn: ({ id, thing, nowMs }) => [
    { type: 'started', thing: id, work: { leftMs: thing.queued?.workMs ?? 0, sinceAtMs: nowMs } },
  ],
  older: {
    thing: (state) => {
      const { level, ...site } = state as { readonly level: number };
      return { ...site, storeys: level + 1 };
    },
    event: (body, type) =>
      type === 'finished' ? { ...(body as object), storeys: (body as { level: number }).level + 1 } : body,
  },
});

const differencesIn = async (pool: Pool, modules: Kibble['modules'], homes = 1) => {
  const found: HomeDifference[] = [];
  const { players } = await verify({
    modules,
    store: new PostgresVerifyStore({ database: new Database({ pool, schema: 'kibble' }), modules }),
    checksItems: true,
    signal: new AbortController().signal,
    onDifference: (difference) => found.push(difference),
    onProgress: () => undefined,
  });
  expect(players).toBe(homes);
  return found;
};

/** Nothing is folded before the transactions of other tests, on the same Postgres, let it go. */
const foldingIn = (pool: Pool) => (modules: Kibble['modules'], limit: number) =>
  retainedIn(pool, modules).foldEvents(LATEST_MS, limit);

const retainedIn = (pool: Pool, modules: Kibble['modules']) =>
  new PostgresRetainedStore({ database: new Database({ pool, schema: 'kibble' }), modules, log: silentLog });

it.for([0, 1, 3, 5])(
  'reads what an older version wrote, also where %i old events were folded away',
  async (events, { expect }) => {
    const { release, pool, clock } = await gameThatChanges();
    const first = await release({ modules: [pets(), withStarter] });
    await first.say('ann', 'village:upgrade', { site: 'hall' });
    clock.advance(2 * HOUR_MS);
    await first.runDue();
    await first.say('ann', 'village:upgrade', { site: 'mill' });
    const fold = foldingIn(pool);
    for (let folded = 0; folded < events; ) folded += await fold(first.kibble.modules, events - folded);
    await first.end();

    const second = await release({ modules: [pets(), storeys] });
    expect((await second.home('ann'))?.things.village).toMatchObject({ hall: { storeys: 2 }, mill: { storeys: 1 } });
    clock.advance(2 * HOUR_MS);
    expect(await second.say('ann', 'village:upgrade', { site: 'hall' })).toMatchObject({ ok: true });
    const things = { hall: { storeys: 2, work: { leftMs: 2 * HOUR_MS } }, mill: { storeys: 2 } };
    expect((await second.home('ann'))?.things.village).toMatchObject(things);
    expect(await differencesIn(pool, second.kibble.modules)).toEqual([]);
    await fold(second.kibble.modules, 2);
    expect(await differencesIn(pool, second.kibble.modules)).toEqual([]);
    await second.end();

    const back = await release({ modules: [pets(), withStarter] });
    expect(await back.say('ann', 'village:upgrade', { site: 'well' })).toMatchObject({
      error: { code: 'server/unavailable', retryable: true },
    });
    const foldOne = async (): Promise<void> => {
      for (let folded = 0; folded === 0; ) folded = await fold(back.kibble.modules, 1);
    };
    await expect(foldOne()).rejects.toThrow('village wrote version 2, here is 1');
    await back.end();
  },
);

it('adds the pets to an older game: its logs still give the rows', async () => {
  const { release, pool } = await gameThatChanges();
  const before = await release({ modules: [withStarter] });
  await before.say('ann', 'village:upgrade', { site: 'hall' });
  await before.end();
  const after = await release({ modules: [pets(), withStarter] });
  expect(await differencesIn(pool, after.kibble.modules)).toEqual([]);
  await after.say('ann', 'home:adopt', { name: 'Rex', species: 'dog' });
  expect(await differencesIn(pool, after.kibble.modules)).toEqual([]);
  await after.end();
});

it.for([
  ['pets', [withStarter]],
  ['village', [pets()]],
] as const)(
  'keeps the logs from before while a module is out, here %s, so that all is there when it is back',
  async ([retired, modules]) => {
    const { release, pool, clock } = await gameThatChanges();
    const before = await release({ modules: [pets(), withStarter] });
    const adopted = await before.say('ann', 'home:adopt', { name: 'Rex', species: 'dog' });
    const petId = adopted?.ok && adopted.value.petId;
    await before.say('ann', 'village:upgrade', { site: 'hall' });
    const first = foldingIn(pool);
    for (let folded = 0; folded < 2; ) folded += await first(before.kibble.modules, 2 - folded);
    expect(await before.say('ann', 'home:feed', { petId, food: 'dog-food' })).toMatchObject({ ok: true });
    await before.end();

    const after = await release({ modules, retired: [retired], items: ['gem'] });
    await after.kibble.homes.mustGrant([
      { playerId: 'bob', commandId: 'gift-0001', items: { gem: 1 }, reason: 'gift' },
    ]);
    clock.advance(100 * HOUR_MS);
    await after.runDue();
    await after.home('ann');
    const events = async (playerId: string) =>
      (await pool.query('select seq from kibble.event where player_id = $1', [playerId])).rows.length;
    const kept = await events('ann');
    const all = kept + (await events('bob'));
    const retained = retainedIn(pool, after.kibble.modules);
    // Bob's events are the newest: a page at a time, the retention passes those of Ann.
    for (let passed = 0; passed < all; ) passed += await retained.foldEvents(LATEST_MS, 2);
    expect(await retained.foldEvents(LATEST_MS, 2)).toBe(0);
    expect([await events('ann'), await events('bob')]).toEqual([kept, 0]);
    expect(await differencesIn(pool, after.kibble.modules, 2)).toEqual([]);
    await after.end();

    const back = await release({ modules: [pets(), withStarter] });
    expect(await differencesIn(pool, back.kibble.modules, 2)).toEqual([]);
    await back.runDue();
    expect((await back.home('ann'))?.things).toMatchObject({
      pets: { [`${petId}`]: { xp: 10 } },
      village: { hall: { level: 1 } },
    });
    const again = foldingIn(pool);
    for (let folded = 0; folded < kept; ) folded += await again(back.kibble.modules, 10);
    expect(await differencesIn(pool, back.kibble.modules, 2)).toEqual([]);
    await back.end();
  },
);

it('has a running process say that another release has retired its module, until it registers it again', async () => {
  const { release, pool } = await gameThatChanges();
  const stays = await release({ modules: [pets(), withStarter] });
  const { log, lines } = recordedLog();
  const database = new Database({ pool, schema: 'kibble' });
  const look = retiredElsewhere({ database, modules: stays.kibble.modules, log });
  await look();
  const retire = async (): Promise<void> => {
    await (await release({ modules: [pets()], retired: ['village'] })).end();
    for (let turn = 0; turn < 2; turn += 1) await look();
  };
  expect(lines).toEqual([]);
  await retire();
  expect(lines).toMatchObject([{ level: 'warn', code: 'module/retired-elsewhere' }]);
  await (await release({ modules: [pets(), withStarter] })).end();
  await look();
  expect(lines).toHaveLength(1);
  await retire();
  expect(lines).toHaveLength(2);
  await stays.end();
});

it('folds no event that a newer version wrote', () => {
  const event = { v: 2, seq: 1, at: 7, type: 'village/finished' as const, thing: 'hall', storeys: 2 };
  expect(() => evolve(new Modules([village]), newHome('ann'), event)).toThrow('village wrote version 2, here is 1');
});

it('lets a home stand still whose rule fails, costs nobody else anything, and goes on with the next deploy', async () => {
  const { release, clock } = await gameThatChanges();
  const failing = {
    ...withStarter,
    complete: () => {
      throw new Error('the ledger of the town hall is torn');
    },
  };
  const broken = await release({ modules: [pets(), failing] });
  await broken.say('ann', 'village:upgrade', { site: 'hall' });
  clock.advance(2 * HOUR_MS);
  await broken.kibble.runDue();
  const fault = { code: 'module/fault', params: { module: 'village', thing: 'hall' }, retryable: false };
  expect(await broken.say('ann', 'home:adopt', { name: 'Rex', species: 'dog' })).toMatchObject({ error: fault });
  expect(await broken.kibble.homes.look(['ann'])).toMatchObject([{ fault: { module: 'village', thing: 'hall' } }]);
  expect(await broken.say('bob', 'home:adopt', { name: 'Rex', species: 'dog' })).toMatchObject({ ok: true });
  await broken.end();
  const mended = await release({ modules: [pets(), withStarter] });
  const log = await mended.kibble.service.sync('ann', { afterSeq: 0 });
  await mended.home('ann');
  const later = await mended.kibble.service.sync('ann', { afterSeq: (log.ok && log.value.seq) || 0 });
  expect(later.ok && later.value.events).toMatchObject([{ type: 'village/finished', at: START_MS + HOUR_MS }]);
  await mended.end();
});

it('refuses modules whose names meet, when the game starts', () => {
  const pool = new Pool();
  const open = (options: Partial<KibbleOptions>) => createKibble({ pool, playerId: ({ sub }) => sub, ...options });
  expect(() => open({ modules: [village, village] })).toThrow('use each name once');
  const twin = { ...village, name: 'town', wire: { timer: 'village' } };
  expect(() => open({ modules: [village, twin] })).toThrow('the timer kind village');
  expect(() => open({ modules: [village], retired: ['village'] })).toThrow('retired module village');
  expect(() => open({ modules: [village], rules: {} })).toThrow('give the rules to the module');
});
