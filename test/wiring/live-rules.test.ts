import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createKibble, type KibbleOptions, ManualClock, RulesRefused, works } from '../../server/kibble.ts';
import { type EngineLog, silent } from '../../server/timers.ts';
import { defineModule } from '../../shared/module/module.ts';
import { migratedDatabase } from '../support/postgres/home-database.ts';
import type { TestDatabase } from '../support/postgres/postgres-server.ts';
import { prove } from '../support/properties/prove.ts';

const HOUR_MS = 3_600_000;
const rules = (gold: number, workMs: number | string = HOUR_MS) => ({
  starter: { items: { gold: 100 } },
  things: { hut: { limit: 1, takes: { gold } } },
  activities: { dig: { on: ['hut'], workMs, gives: { stone: 1 } } },
});

let database: TestDatabase;
let clock: ManualClock;

beforeEach(async () => {
  database = await migratedDatabase(inject('postgresUrl'));
  clock = new ManualClock(1_800_000_000_000);
  onTestFinished(() => database.drop());
});

type Node = Awaited<ReturnType<typeof start>>;

/** Two processes on one database need a Redis. */
const redisUrl = inject('redisUrl');
const shared = () => ({ redis: redisUrl, redisPrefix: new URL(database.url).pathname.slice(1) });

/** A process of the game on the test's clock. */
const start = async (file: unknown, options: Partial<KibbleOptions> = {}) => {
  const pool = new Pool({ connectionString: database.url, max: 4 });
  const logged: object[] = [];
  const note = (fields: object): void => void logged.push(fields);
  const log: EngineLog = { ...silent, info: note, warn: note, error: note };
  const town = works({ name: 'town', rules: file });
  const kibble = createKibble({ pool, playerId: ({ sub }) => sub, log, clock, modules: [town], ...options });
  await kibble.lifecycle.boot();
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await kibble.lifecycle.shutdown();
    await pool.end();
  };
  onTestFinished(stop);
  const codes = () => logged.flatMap((fields) => ('code' in fields ? [fields.code] : []));
  return { kibble, logged, codes, stop };
};

const order = (expectedVersion: number, commandId = randomUUID()) => ({
  ...{ module: 'town', expectedVersion, commandId },
  ...{ by: 'dee', reason: 'a sale' },
});
const ask = async ({ kibble }: Node, playerId: string, type: string, payload: object) => {
  const [outcome] = await kibble.homes.handle([
    { playerId, type, payload: { commandId: randomUUID(), ...payload } } as never,
  ]);
  return outcome;
};
const itemsOf = async ({ kibble }: Node, playerId: string) => (await kibble.homes.look([playerId]))[0]?.home.items;

describe('rules that change while the game runs', () => {
  it('are in force from the commit on: what was ordered ends as it was ordered, what comes then is by the new ones', async () => {
    const node = await start(rules(10));
    await ask(node, 'ann', 'town:place', { thing: 'hut' });
    const dug = await ask(node, 'ann', 'town:start', { thing: 'hut', activity: 'dig' });
    expect(dug).toMatchObject({ ok: true, value: { dueAt: clock.nowMs() + HOUR_MS } });
    await clock.advance(2000);
    const changed = await node.kibble.rules.replace({ ...order(1), config: rules(30, '2h') });
    expect(changed).toEqual({
      version: 2,
      differences: [
        { path: 'things.hut.takes.gold', before: 10, after: 30 },
        { path: 'activities.dig.workMs', before: HOUR_MS, after: '2h' },
      ],
    });
    await ask(node, 'bob', 'town:place', { thing: 'hut' });
    expect(await itemsOf(node, 'bob')).toEqual({ gold: 70 });
    await clock.advance(HOUR_MS);
    await node.kibble.runDue();
    expect(await itemsOf(node, 'ann')).toEqual({ gold: 90, stone: 1 });
    expect(await ask(node, 'ann', 'town:start', { thing: 'hut', activity: 'dig' })).toMatchObject({
      value: { dueAt: clock.nowMs() + 2 * HOUR_MS },
    });
    expect(await node.kibble.rules.history('town')).toMatchObject([
      { version: 2, source: 'operator', by: 'dee', reason: 'a sale' },
      { version: 1, source: 'file' },
    ]);
  });

  it.skipIf(!redisUrl)('decide each command on another node as well, though no message reached it', async () => {
    const one = await start(rules(10), shared());
    const other = await start(rules(10), { ...shared(), role: 'gateway' });
    await clock.advance(2000);
    await one.kibble.rules.replace({ ...order(1), config: rules(40) });
    await ask(other, 'ann', 'town:place', { thing: 'hut' });
    expect(await itemsOf(other, 'ann')).toEqual({ gold: 60 });
    const quoted = await other.kibble.service.quote('bob', { type: 'town:place', thing: 'hut' } as never);
    expect(quoted).toMatchObject({ ok: true, value: { events: [{ items: { gold: -40 } }] } });
  });

  it.skipIf(!redisUrl)(
    'serve a designer for an hour, on two nodes that go on, while a player builds',
    async (context) => {
      const [desk, play] = [await start(rules(10), shared()), await start(rules(10), { ...shared(), role: 'gateway' })];
      const build = (type: string, payload: object) => ask(play, 'ann', `town:${type}`, payload);
      await build('place', { thing: 'hut' });
      await build('start', { thing: 'hut', activity: 'dig' });
      await clock.advance(2000);
      const { things, ...others } = rules(30, '2h');
      const withMill = { ...others, things: { ...things, mill: { limit: 1, takes: { gold: 5 } } } };
      await desk.kibble.rules.replace({ ...order(1), config: withMill });
      expect(await build('place', { thing: 'mill' })).toMatchObject({ ok: true });
      await clock.advance(HOUR_MS);
      await desk.kibble.runDue();
      expect(await itemsOf(play, 'ann')).toEqual({ gold: 85, stone: 1 });
      const dug = await build('start', { thing: 'hut', activity: 'dig' });
      expect(dug).toMatchObject({ value: { dueAt: clock.nowMs() + 2 * HOUR_MS } });
      await desk.kibble.rules.rollBack({ ...order(2), version: 1, reason: 'too dear' });
      expect(await build('place', { thing: 'mill' })).toMatchObject({ ok: false, error: { code: 'thing/unknown' } });
      expect(await desk.kibble.rules.history('town')).toMatchObject([
        { version: 3, by: 'dee', reason: 'too dear' },
        { version: 2, by: 'dee', reason: 'a sale' },
        { version: 1, source: 'file' },
      ]);
      const seven = {
        ...{ starter: { items: { gold: -1 } }, things: { hut: { limit: 0, takes: { gold: 0.5 } } }, extra: 1 },
        activities: { dig: { on: ['hall'], workMs: 'soon', gives: { stone: -1 } } },
      };
      const { faults } = await desk.kibble.rules.check('town', seven);
      expect(faults.map((fault) => fault.slice(0, fault.indexOf(':'))).sort()).toEqual([
        ...['activities.dig.gives.stone', 'activities.dig.on.0', 'activities.dig.workMs', 'rules'],
        ...['starter.items.gold', 'things.hut.limit', 'things.hut.takes.gold'],
      ]);
      await expect(desk.kibble.rules.replace({ ...order(3), config: seven })).rejects.toMatchObject({ faults });
      await clock.advance(2 * HOUR_MS);
      await desk.kibble.runDue();
      expect(await itemsOf(play, 'ann')).toEqual({ gold: 85, stone: 2 });
      prove(context, { row: 28, tries: 1, of: 'hours of a designer on two nodes' });
    },
  );

  it('are refused whole, with the place of each fault, and nothing is changed', async () => {
    const { kibble } = await start(rules(10));
    const faulty = { ...rules(-1, 'soon'), cards: { x: { effect: 'burn' } }, cancelGivesBack: 3, extra: 1 };
    const refusal = await kibble.rules.replace({ ...order(1), config: faulty }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RulesRefused);
    const places = (refusal as RulesRefused).faults.map((fault) => fault.slice(0, fault.indexOf(':')));
    expect(places.sort()).toEqual(
      ['activities.dig.workMs', 'cancelGivesBack', 'cards.x.effect', 'rules', 'things.hut.takes.gold'].sort(),
    );
    expect(await kibble.rules.check('town', faulty)).toMatchObject({ faults: (refusal as RulesRefused).faults });
    expect(await kibble.rules.current('town')).toMatchObject({ version: 1, config: rules(10) });
  });

  it('may be changed right after a start; are refused to the second of two operators, and once a second; sent again they are done once', async () => {
    const { kibble } = await start(rules(10));
    const first = { ...order(1), config: rules(20) };
    const done = await kibble.rules.replace(first);
    expect(await kibble.rules.replace(first)).toEqual(done);
    await expect(kibble.rules.replace({ ...order(1), config: rules(5) })).rejects.toMatchObject({
      code: 'rules/changed',
      params: { version: 2 },
    });
    await expect(kibble.rules.replace({ ...order(2), config: rules(5) })).rejects.toMatchObject({
      code: 'rules/too-often',
      params: { retryAfterMs: 1000 },
    });
    const tried = { commandId: randomUUID(), reason: 'a try', dryRun: true, config: rules(5), expectedVersion: 2 };
    const parts = { playerId: '', timerId: '', jobId: '', kind: '', module: 'town' };
    const operator = { name: 'dee', role: 'admin' as const };
    expect(await kibble.ops.handlers().replaceRules({ operator, parts, input: tried })).toMatchObject({ ok: true });
    await expect(kibble.rules.replace({ ...order(2), module: 'pets', config: {} })).rejects.toMatchObject({
      code: 'rules/no-config',
    });
    const large = { ...rules(1), $schema: 'x'.repeat(1_000_001) };
    await expect(kibble.rules.replace({ ...order(2), config: large })).rejects.toMatchObject({
      code: 'rules/too-large',
    });
  });

  it('go back to an older version, as a new one', async () => {
    const { kibble } = await start(rules(10));
    await clock.advance(2000);
    await kibble.rules.replace({ ...order(1), config: rules(20) });
    await clock.advance(2000);
    expect(await kibble.rules.rollBack({ ...order(2), version: 1 })).toMatchObject({ version: 3 });
    expect(kibble.rules.config('town')).toMatchObject({ things: { hut: { takes: { gold: 10 } } } });
    await expect(kibble.rules.rollBack({ ...order(3), version: 9 })).rejects.toMatchObject({
      code: 'rules/unknown-version',
    });
  });

  it('reach each listener, also behind one that throws', async () => {
    const one = await start(rules(10));
    const heard: unknown[] = [];
    one.kibble.service.onRules?.(() => {
      throw new Error('of the game');
    });
    one.kibble.service.onRules?.((async () => Promise.reject(new Error('later'))) as never);
    let off = (): void => undefined;
    const subscribeAnew = (): void => {
      off();
      off = one.kibble.service.onRules?.(subscribeAnew) ?? off;
    };
    subscribeAnew();
    one.kibble.service.onRules?.((changed) => heard.push(...changed));
    await clock.advance(2000);
    await one.kibble.rules.replace({ ...order(1), config: rules(20) });
    expect(heard).toEqual([{ module: 'town', version: 2 }]);
    const failed = one.logged.filter((fields) => 'err' in fields);
    expect(failed).toHaveLength(2);
  });

  it('keep an item known that no rules name any more', async () => {
    const node = await start({ ...rules(10), starter: { items: { gold: 100, relic: 2 } } });
    await ask(node, 'ann', 'town:place', { thing: 'hut' });
    await clock.advance(2000);
    await node.kibble.rules.replace({ ...order(1), config: rules(10) });
    const grant = { playerId: 'bob', commandId: randomUUID(), items: { relic: 1 }, reason: 'late' };
    expect(await node.kibble.homes.grant([grant])).toMatchObject([{ ok: true }]);
    expect(await itemsOf(node, 'ann')).toEqual({ gold: 90, relic: 2 });
  });
});

describe('a file that a start brings', () => {
  it('is a new version when no start brought it before, and nothing when one did', async () => {
    await (await start(rules(10))).stop();
    const second = await start(rules(20));
    expect(await second.kibble.rules.current('town')).toMatchObject({ version: 2, source: 'file', config: rules(20) });
    await second.stop();
    const third = await start(rules(10));
    expect(await third.kibble.rules.current('town')).toMatchObject({ version: 2 });
    expect(third.codes()).toEqual(expect.arrayContaining(['rules/in-force', 'rules/not-applied']));
  });

  it('is not in force over an operator’s change, says so, and is where the start says that files are', async () => {
    const first = await start(rules(10));
    await clock.advance(2000);
    await first.kibble.rules.replace({ ...order(1), config: rules(20) });
    await first.stop();
    const second = await start(rules(30));
    expect(second.kibble.rules.config('town')).toMatchObject({ things: { hut: { takes: { gold: 20 } } } });
    expect(second.logged).toContainEqual(
      expect.objectContaining({
        code: 'rules/not-applied',
        differences: [{ path: 'things.hut.takes.gold', before: 20, after: 30 }],
      }),
    );
    await second.stop();
    const third = await start(rules(30), { rulesFrom: 'file' });
    expect(await third.kibble.rules.current('town')).toMatchObject({ version: 3, source: 'file', config: rules(30) });
  });
});

const shop = (config: z.ZodObject) =>
  defineModule({
    name: 'shop',
    thing: z.object({ price: z.number() }),
    initial: { price: 0 },
    config,
    events: { bought: z.object({ price: z.number() }) },
    commands: { buy: z.object({}) },
  }).rules({
    decide: {
      buy: ({ newId, config: { price } }) => [{ type: 'bought', thing: newId, price: Number(price) }],
    },
    evolve: { bought: (_, { price }) => ({ price }) },
  });
const older = shop(z.strictObject({ price: z.number() }));
const newer = shop(z.strictObject({ price: z.number(), tax: z.number().optional() }));

const withShop = (shop: unknown) => ({ modules: [works({ name: 'town', rules: rules(10) }), shop] as never });

it.skipIf(!redisUrl)(
  'a version that an older process cannot read stops the commands of that module alone',
  async () => {
    const modules = (shop: unknown) => ({ ...shared(), ...withShop(shop) });
    const node = await start(rules(10), modules(newer({ price: 3 })));
    const old = await start(rules(10), { ...modules(older({ price: 3 })), role: 'gateway' });
    expect(await ask(old, 'ann', 'shop:buy', {})).toMatchObject({ ok: true });
    await clock.advance(2000);
    await node.kibble.rules.replace({ ...order(1), module: 'shop', config: { price: 4, tax: 1 } });
    expect(await ask(old, 'ann', 'shop:buy', {})).toMatchObject({
      ok: false,
      error: { code: 'server/unavailable', retryable: true },
    });
    expect(old.codes()).toContain('rules/unreadable');
    expect(await ask(old, 'ann', 'town:place', { thing: 'hut' })).toMatchObject({ ok: true });
    expect(await ask(node, 'ann', 'shop:buy', {})).toMatchObject({ ok: true, value: { events: [{ price: 4 }] } });
    await vi.waitFor(() => expect(old.kibble.rules.config('shop')).toBeUndefined());
  },
);

it('an older version that today’s schema refuses is not rolled back to, and a module that was taken out stops no other', async () => {
  const first = await start(rules(10), withShop(newer({ price: 3 })));
  for (const [at, config] of [{ price: 4, tax: 1 }, { price: 5 }].entries()) {
    await clock.advance(2000);
    await first.kibble.rules.replace({ ...order(at + 1), module: 'shop', config });
  }
  await first.stop();
  const second = await start(rules(10), withShop(older({ price: 5 })));
  await clock.advance(2000);
  const refusal = second.kibble.rules.rollBack({ ...order(3), module: 'shop', version: 2 });
  await expect(refusal).rejects.toMatchObject({ code: 'rules/refused', faults: [expect.stringContaining('tax')] });
  expect(await second.kibble.rules.current('shop')).toMatchObject({ version: 3, config: { price: 5 } });
  await second.stop();
  const third = await start(rules(10));
  expect(await ask(third, 'ann', 'town:place', { thing: 'hut' })).toMatchObject({ ok: true });
  expect(await third.kibble.rules.history('shop', { limit: 1 })).toMatchObject([{ version: 3 }]);
  const late = third.kibble.rules.replace({ ...order(3), module: 'shop', config: { price: 6 } });
  await expect(late).rejects.toMatchObject({ code: 'rules/no-config' });
});

it('ten thousand versions are the most', async () => {
  const { kibble } = await start(rules(10));
  const pool = new Pool({ connectionString: database.url, max: 1 });
  await pool.query(`insert into kibble.rules (number, module, version, config, hash, items, source, actor, reason, at)
    select 2, module, 10000, config, hash, items, 'operator', 'dee', 'the last', at from kibble.rules`);
  await pool.end();
  await clock.advance(2000);
  const replaced = kibble.rules.replace({ ...order(10_000), config: rules(20) });
  await expect(replaced).rejects.toMatchObject({ code: 'rules/too-many', params: { most: 10_000 } });
});
