import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { village } from '../../examples/village.ts';
import { type AnyModule, type Asked, defineModule, type Rules } from '../../shared/module/module.ts';
import { checkModule, type ModuleTrial } from '../../testing/check-module.ts';

const site = fc.constantFrom('hall', 'mill', 'barn', 'wall');
const card = fc.constantFrom('hourglass', 'flag');
const trial: ModuleTrial = {
  commands: fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant('upgrade'), payload: fc.record({ site }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('use-card'), payload: fc.record({ site, card }) }) },
  ),
  items: { wood: 400, hourglass: 3, flag: 3 },
  invariant: (sites) => Object.values(sites).filter((one) => 'work' in one).length <= 2,
};

interface Asks {
  upgrade(asked: never): readonly object[];
}
const broken = (change: Partial<Record<keyof AnyModule, unknown>>): AnyModule =>
  ({ ...village, ...change }) as AnyModule;
const found = (module: AnyModule, more: Partial<ModuleTrial> = {}): string =>
  checkModule(module, { ...trial, ...more }, { runs: 60 })
    .map(({ law, counterexample }) => `${law}: ${counterexample}`)
    .join('\n');

it('finds nothing wrong with a village', () => {
  expect(checkModule(village, trial, { runs: 60 })).toEqual([]);
});

it('finds nothing wrong with a furnace that waits from the start for what the trial gives', () => {
  const furnace = defineModule({
    name: 'furnace',
    thing: z.object({ sinceMs: z.int().optional(), dueAtMs: z.int().optional() }),
    initial: {},
    items: ['ore', 'iron'],
    events: { waits: z.object({}), heated: z.object({}), smelted: z.object({}) },
    commands: { fill: z.object({}) },
  }).rules({
    open: () => [{ type: 'waits', thing: 'furnace' }],
    decide: {
      fill: ({ things, refuse }) =>
        things.furnace?.sinceMs === undefined && things.furnace?.dueAtMs === undefined
          ? [{ type: 'waits', thing: 'furnace' }]
          : refuse('furnace/busy'),
    },
    evolve: {
      waits: (_, { at }) => ({ sinceMs: at }),
      heated: (_, { at }) => ({ dueAtMs: at + 3_600_000 }),
      smelted: () => ({}),
    },
    waitingSinceMs: ({ sinceMs }) => sinceMs,
    goOn: ({ id, items }) => ((items.ore ?? 0) >= 5 ? [{ type: 'heated', thing: id, items: { ore: -5 } }] : []),
    dueAtMs: ({ dueAtMs }) => dueAtMs,
    complete: ({ id }) => [{ type: 'smelted', thing: id, items: { iron: 1 } }],
  });
  const commands = fc.constant({ type: 'fill', payload: {} });
  for (const seed of [1, 2, 3]) expect(checkModule(furnace, { commands, items: { ore: 5 } }, { seed })).toEqual([]);
});

describe('finds nothing wrong with a module', () => {
  const one = (more: object, thing: z.ZodType = z.looseObject({})) =>
    defineModule({
      name: 'one',
      thing: thing as z.ZodObject,
      initial: {},
      events: { placed: z.object({}), gone: z.object({}) },
      commands: { swap: z.object({}) },
    }).rules({
      decide: {
        swap: ({ things, newId }: { readonly things: object; readonly newId: string }) => [
          { type: 'placed', thing: newId },
          ...Object.keys(things).map((thing) => ({ type: 'gone' as const, thing })),
        ],
      },
      evolve: { placed: () => ({}), gone: () => undefined },
      ...more,
    } as never) as AnyModule;
  const commands = fc.constant({ type: 'swap', payload: {} });

  it('that replaces its thing by two events', () => {
    const invariant = (things: object) => Object.keys(things).length <= 1;
    expect(checkModule(one({}), { commands, invariant }, { runs: 30 })).toEqual([]);
  });

  it('that gives what the game declares', () => {
    const decide = { swap: ({ newId }: { newId: string }) => [{ type: 'placed', thing: newId, items: { coin: 1 } }] };
    for (const otherItems of [['coin'], 'any'] as const) {
      expect(checkModule(one({ decide }), { commands, otherItems }, { runs: 30 })).toEqual([]);
    }
  });

  it('that knows a Date from before as a Date', () => {
    const begin = new Date(5);
    const evolve = {
      placed: () => ({ isDate: begin instanceof Date && !({} instanceof Date) }),
      gone: () => undefined,
    };
    expect(checkModule(one({ evolve }, z.object({ isDate: z.literal(true) })), { commands }, { runs: 30 })).toEqual([]);
  });

  it('that names its time zone, and the zone of the machine is as before', () => {
    const inShanghai = { timeZone: 'Asia/Shanghai', hourCycle: 'h23', hour: 'numeric' } as const;
    const placed = (_: object, { at }: { at: number }) => ({
      hour: new Date(at).toLocaleTimeString('en', inShanghai),
      minute: new Date(at).getUTCMinutes(),
    });
    for (const zone of [undefined, 'Asia/Kathmandu']) {
      vi.stubEnv('TZ', zone);
      const offset = new Date(5).getTimezoneOffset();
      expect(checkModule(one({ evolve: { placed, gone: () => undefined } }), { commands }, { runs: 10 })).toEqual([]);
      expect([process.env.TZ, new Date(5).getTimezoneOffset()]).toEqual([zone, offset]);
    }
    vi.unstubAllEnvs();
  });

  it('that stores -0, and an object without a prototype', () => {
    const evolve = {
      placed: () => ({ debt: -0, all: Object.assign(Object.create(null), { a: 1 }) }),
      gone: () => undefined,
    };
    expect(checkModule(one({ evolve }), { commands }, { runs: 30 })).toEqual([]);
  });
});

it('plays in the season that the trial gives', () => {
  const garden = defineModule({
    name: 'garden',
    thing: z.object({ ripensAtMs: z.int().optional() }),
    initial: {},
    events: { sown: z.object({ ripensAtMs: z.int() }), ripe: z.object({}) },
    commands: { sow: z.object({}) },
  }).rules({
    decide: {
      sow: ({ nowMs, refuse }) =>
        new Date(nowMs).getUTCMonth() === 6
          ? [{ type: 'sown', thing: 'garden', ripensAtMs: nowMs + 60_000 }]
          : refuse('garden/closed'),
    },
    evolve: { sown: (_, { ripensAtMs }) => ({ ripensAtMs }), ripe: () => ({}) },
    dueAtMs: ({ ripensAtMs }) => ripensAtMs,
    complete: ({ id }) => [{ type: 'ripe', thing: id }],
  });
  const commands = fc.constant({ type: 'sow', payload: {} });
  expect(checkModule(garden, { commands }, { runs: 30 })).toMatchObject([
    { law: 'each command was accepted at least once' },
  ]);
  const startAtMs = Date.UTC(2027, 6, 2);
  expect(checkModule(garden, { commands, startAtMs }, { runs: 30 })).toEqual([]);
});

describe('a fault in a module is found, with what to mend:', () => {
  it.each([
    ['the clock', () => Date.now()],
    ['the day', () => new Date().getDate()],
    ['chance', () => Math.floor(Math.random() * 97)],
    ['the hour in the zone of the machine', () => new Date(5).getHours()],
    ['a time as text in the zone of the machine', () => Number.parseInt(new Date(5).toLocaleTimeString('en-GB'), 10)],
  ])('a rule that reads %s', (_, read) => {
    const complete = ({ id }: { id: string }) => [{ type: 'finished', thing: id, level: read() }];
    const faults = checkModule(broken({ complete }), trial, { runs: 30 });
    expect(faults).toMatchObject([
      {
        law: 'rules read neither the clock nor a chance of their own',
        counterexample: expect.stringMatching(
          /^a rule asks the clock or the machine's time zone, or draws without.*: event \d+ is \{.*'village\/finished'/,
        ),
      },
    ]);
    expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
  });

  it.each([
    ['an hour', () => Number(new Date().getHours() >= 18)],
    ['a month', () => Number(new Date().getMonth() === 11)],
    ['a rare chance', () => Number(Math.random() < 0.05)],
  ])('a rule that seldom gives another result: %s', (_, read) => {
    const complete = ({ id }: { id: string }) => [{ type: 'finished', thing: id, level: read() }];
    const [fault] = checkModule(broken({ complete }), trial, { runs: 300, seed: 1 });
    expect(fault?.law).toBe('rules read neither the clock nor a chance of their own');
  });

  it('a rule that goes by the order of names, which the database changes', () => {
    const furnace = defineModule({
      name: 'furnace',
      thing: z.object({ dueAtMs: z.int().optional() }),
      initial: {},
      items: ['coal', 'oil'],
      events: { lit: z.object({ dueAtMs: z.int() }), burnt: z.object({}) },
      commands: { light: z.object({}) },
    }).rules({
      decide: { light: ({ nowMs }) => [{ type: 'lit', thing: 'furnace', dueAtMs: nowMs + 3_600_000 }] },
      evolve: { lit: (_, { dueAtMs }) => ({ dueAtMs }), burnt: (_, { at }) => ({ dueAtMs: at + 3_600_000 }) },
      dueAtMs: ({ dueAtMs }) => dueAtMs,
      // The first fuel in stock; each coal leaves some oil.
      complete: ({ id, items }) => {
        const [fuel] = Object.entries(items).flatMap(([item, count = 0]) => (count > 0 ? [item] : []));
        const burns: Record<string, number> = fuel === 'oil' ? { oil: -1 } : { coal: -1, oil: 1 };
        return [{ type: 'burnt', thing: id, items: burns }];
      },
    });
    const commands = fc.constant({ type: 'light', payload: {} });
    const [fault] = checkModule(furnace, { commands, items: { coal: 5000 } }, { runs: 60, seed: 1 });
    expect(fault?.law).toContain('looking at any times');
  });

  it.each<[string, (event: { cost: object }) => { steps: string[] }]>([
    ['goes by the order of names in an event', ({ cost }) => ({ steps: Object.keys(cost) })],
    [
      'sees whether a field of an event is undefined or missing',
      (event) => ({ steps: 'mark' in event ? ['mark'] : [] }),
    ],
  ])('an evolve that %s, which the database changes', (_, queued) => {
    const yard = defineModule({
      name: 'yard',
      thing: z.object({ steps: z.array(z.string()) }),
      initial: { steps: [] },
      events: { queued: z.object({ cost: z.record(z.string(), z.int()), mark: z.string().optional() }) },
      commands: { queue: z.object({}) },
    }).rules({
      decide: {
        queue: ({ newId }) => [{ type: 'queued', thing: newId, cost: { iron: 1, coal: 2, ax: 3 }, mark: undefined }],
      },
      evolve: { queued: (_thing, event) => queued(event) },
    });
    const commands = fc.constant({ type: 'queue', payload: {} });
    const [fault] = checkModule(yard, { commands }, { runs: 30 });
    expect(fault?.law).toBe('the log gives the same things and replies after the database has stored it');
  });

  it('an evolve that forgets a field', () => {
    const evolve = { ...village.evolve, finished: () => ({}) };
    expect(found(broken({ evolve }))).toContain('evolve forgets or misspells a field');
  });

  it('an evolve that reads the clock, though no event shows it', () => {
    const finished = ({ level }: { level: number }) => ({ level: level + 1, builtAtMs: Date.now() });
    const thing = z.looseObject({ level: z.int() });
    expect(found(broken({ thing, evolve: { ...village.evolve, finished } }))).toContain('evolve asks the clock');
  });

  it('an evolve that reads the rules, though no event shows it', () => {
    const of = (power: number): AnyModule =>
      broken({
        thing: z.looseObject({ level: z.int() }),
        evolve: { ...village.evolve, finished: ({ level }: { level: number }) => ({ level: level + 1, power }) },
      });
    expect(found(of(5), { other: of(6) })).toContain('evolve reads the rules: copy what it needs into the event');
  });

  it('rules that are read in complete', () => {
    const of = (gold: number): AnyModule =>
      broken({
        complete: ({ id, thing }: { id: string; thing: { level: number } }) => [
          { type: 'finished', thing: id, level: thing.level + 1, items: { gold } },
        ],
      });
    expect(found(of(5), { other: of(6) })).toContain('settling reads no rules');
  });

  it('a reply and a title that fail', () => {
    const reply = () => {
      throw new Error('no reply today');
    };
    expect(found(broken({ reply }))).toContain('no reply today');
    expect(found(broken({ title: () => undefined }))).toContain('title of village');
  });

  it.each<[string, object]>([
    ['reply', { reply: () => ({ saidAtMs: Date.now() }) }],
    ['title', { title: () => `a site at ${Date.now()}` }],
    ['run', { run: () => `run ${Math.random()}` }],
    ['doneOf', { doneOf: () => [`${Date.now()}`] }],
  ])('a %s that reads the clock, or draws', (rule, change) => {
    const text = found(broken(change));
    expect(text).toMatch(/^rules read neither the clock nor a chance of their own: reply, title, run or doneOf asks/);
    expect(text).toMatch(`${rule === 'reply' ? 'saidAtMs' : rule}: `);
  });

  it('a reply that goes by the order of names, which the database changes', () => {
    const reply = ([event]: readonly object[]) => ({ named: Object.keys(event ?? {}).join() });
    expect(found(broken({ reply }))).toContain('reply goes by the order of names');
  });

  it('a doneOf that fails', () => {
    const doneOf = () => {
      throw new Error('nothing is ever done');
    };
    expect(found(broken({ doneOf }))).toContain('nothing is ever done');
  });

  it.each([2020, 2026, 2045])('a decide that reads the clock, in a season of %s', (year) => {
    const startAtMs = Date.UTC(year, 6, 1);
    const decide = {
      ...village.decide,
      upgrade: (asked: Asked<object, object>) =>
        Date.now() < startAtMs + 5
          ? asked.refuse('village/closed')
          : (village.decide as never as Asks).upgrade(asked as never),
    };
    expect(found(broken({ decide }), { startAtMs })).toMatch(/^rules read neither the clock nor a chance of their own/);
  });

  it('an undeclared item in the stock of the trial', () => {
    expect(found(village, { items: { ...trial.items, coin: 1 } })).toContain('coin is declared neither');
  });

  it('a slot that decide alone counts', () => {
    const goOn = ({ id, thing, nowMs }: { id: string; thing: { queued: { workMs: number } }; nowMs: number }) => [
      { type: 'started', thing: id, work: { leftMs: thing.queued.workMs, sinceAtMs: nowMs } },
    ];
    expect(found(broken({ goOn }))).toContain('count again in goOn');
  });

  it('an event that takes what is not there', () => {
    const complete = ({ id }: { id: string }) => [{ type: 'finished', thing: id, level: 1, items: { gold: -9 } }];
    expect(found(broken({ complete }))).toContain('item/out-of-stock');
  });

  it('a rule that sees whether a field is undefined or missing, which a load changes', () => {
    const clock = z.object({ ticks: z.int(), dueAtMs: z.int().optional(), mark: z.string().optional() });
    const ticking = defineModule({
      name: 'clock',
      thing: clock,
      initial: { ticks: 0 },
      events: { wound: z.object({ dueAtMs: z.int() }), ticked: z.object({ isMarked: z.boolean() }) },
      commands: { wind: z.object({}) },
    }).rules({
      decide: { wind: ({ nowMs }) => [{ type: 'wound', thing: 'clock', dueAtMs: nowMs + 60_000 }] },
      evolve: {
        wound: (_, { dueAtMs }) => ({ ticks: 0, dueAtMs }),
        ticked: ({ ticks }, { at }) => ({
          ticks: ticks + 1,
          dueAtMs: ticks < 3 ? at + 60_000 : undefined,
          mark: undefined,
        }),
      },
      dueAtMs: ({ dueAtMs }) => dueAtMs,
      complete: ({ id, thing }) => [{ type: 'ticked', thing: id, isMarked: 'mark' in thing }],
    });
    const commands = fc.constant({ type: 'wind', payload: {} });
    const [fault] = checkModule(ticking, { commands, unitMs: 60_000 }, { runs: 60 });
    expect(fault?.law).toContain('looking at any times');
  });

  it('a Date in a thing', () => {
    const evolve = { ...village.evolve, finished: () => ({ level: 1, builtOn: new Date(5) }) };
    expect(found(broken({ evolve }))).toContain('no Date');
  });

  it('a thing that is changed in place', () => {
    const finished = (thing: { level: number; work?: unknown }) => {
      thing.level += 1;
      delete thing.work;
      return thing;
    };
    expect(found(broken({ evolve: { ...village.evolve, finished } }))).toContain('evolve.finished of village');
  });

  it('an event with a field that its contract does not know', () => {
    const complete = ({ id }: { id: string }) => [{ type: 'finished', thing: id, level: 1, itms: { gold: 5 } }];
    expect(found(broken({ complete }))).toContain('not as its contract says: Unrecognized key: "itms"');
  });

  it('work that takes no time', () => {
    const complete = ({ id }: { id: string }) => [{ type: 'started', thing: id, work: { leftMs: 0, sinceAtMs: 0 } }];
    expect(found(broken({ complete }))).toContain('turns at one instant');
  });

  it('a card whose due time is whole only where it is played at a full hour', () => {
    const oven = defineModule({
      name: 'oven',
      thing: z.object({ readyAtMs: z.int() }),
      initial: { readyAtMs: 0 },
      items: ['card'],
      events: {
        baked: z.object({ readyAtMs: z.number() }),
        hurried: z.object({ readyAtMs: z.number() }),
        ready: z.object({}),
      },
      commands: { bake: z.object({}), hurry: z.object({ thing: z.string() }) },
    }).rules({
      decide: {
        bake: ({ things, nowMs, refuse }) =>
          things.oven ? refuse('oven/busy') : [{ type: 'baked', thing: 'oven', readyAtMs: nowMs + 4 * 3_600_000 }],
        hurry: ({ things, payload, nowMs, items, refuse }) => {
          const oven = things[payload.thing];
          return !oven || (items.card ?? 0) < 1
            ? refuse('oven/cold')
            : [
                {
                  type: 'hurried',
                  thing: 'oven',
                  readyAtMs: nowMs + (oven.readyAtMs - nowMs) / 2,
                  items: { card: -1 },
                },
              ];
        },
      },
      evolve: {
        baked: (_, { readyAtMs }) => ({ readyAtMs }),
        hurried: (_, { readyAtMs }) => ({ readyAtMs }),
        ready: () => undefined,
      },
      dueAtMs: ({ readyAtMs }) => readyAtMs,
      complete: ({ id }) => [{ type: 'ready', thing: id }],
    });
    const commands = fc.constantFrom({ type: 'bake', payload: {} }, { type: 'hurry', payload: { thing: 'oven' } });
    expect(checkModule(oven, { commands, items: { card: 20 } }, { seed: 1 })).not.toEqual([]);
  });
});

/** A crate costs a coin and holds what is drawn: by the command, or when it is unpacked an hour later. */
const crates = (change: Partial<Record<keyof AnyModule, unknown>> = {}): AnyModule =>
  ({
    ...defineModule({
      name: 'crates',
      thing: z.object({ openAtMs: z.int() }),
      initial: { openAtMs: 0 },
      items: ['coin', 'gold'],
      events: { bought: z.object({ openAtMs: z.int() }), unpacked: z.object({}) },
      commands: { buy: z.object({}) },
    }).rules({
      decide: {
        buy: ({ newId, nowMs, items, refuse }) =>
          (items.coin ?? 0) < 1
            ? refuse('crates/no-coin')
            : [{ type: 'bought', thing: newId, openAtMs: nowMs + 3_600_000, items: { coin: -1 } }],
      },
      evolve: { bought: (_, { openAtMs }) => ({ openAtMs }), unpacked: () => undefined },
      dueAtMs: ({ openAtMs }) => openAtMs,
      complete: ({ id, chance }) => [{ type: 'unpacked', thing: id, items: { gold: chance.whole(10, 20) } }],
    }),
    ...change,
  }) as AnyModule;

type Buying = Asked<{ openAtMs: number }, object>;

describe('chance in a module', () => {
  const commands = fc.constant({ type: 'buy', payload: {} });
  const foundIn = (change: Parameters<typeof crates>[0], more: Partial<ModuleTrial> = {}): string =>
    checkModule(crates(change), { commands, items: { coin: 5 }, ...more }, { runs: 60, seed: 7 })
      .map(({ law, counterexample }) => `${law}: ${counterexample}`)
      .join('\n');
  const bought = ({ newId, nowMs }: Buying, coin: number, gold: number) => [
    { type: 'bought', thing: newId, openAtMs: nowMs + 1, items: { coin, gold } },
  ];
  const buying = (buy: (asked: Buying) => unknown) => ({ decide: { buy } });
  /** Asks first, draws then. */
  const drawing = buying((asked) =>
    (asked.items.coin ?? 0) < 1 ? asked.refuse('crates/no-coin') : bought(asked, -1, asked.chance.whole(1, 6)),
  );

  it('is as it should be where it is drawn after all that may be refused, or in complete', () => {
    expect(foundIn({})).toBe('');
    expect(foundIn(drawing)).toBe('');
  });

  it('brings each of two beginnings, and the history tells by which draws', () => {
    const opening = (misspelt?: number) => ({
      open: ({ nowMs, chance }: Buying) => {
        const field = chance.whole(1, 2) === misspelt ? 'openAt' : 'openAtMs';
        return [{ type: 'bought', thing: 'gift', [field]: nowMs + 1 }];
      },
    });
    expect(foundIn(opening())).toBe('');
    for (const misspelt of [1, 2]) {
      expect(foundIn(opening(misspelt))).toMatch(/open of crates gift: .*openAt.*\{ steps: \[\], draws: \d+ \}/s);
    }
  });

  it('brings each of twenty prizes', () => {
    const prizes = Array.from({ length: 20 }, (_, at) => at + 1);
    const missed = prizes.filter((misspelt) => {
      const complete = ({ id, chance }: Buying & { id: string }) => [
        { type: 'unpacked', thing: id, [chance.whole(1, 20) === misspelt ? 'itms' : 'items']: { gold: 1 } },
      ];
      const trial = { commands, items: { coin: 5 } };
      const [fault] = checkModule(crates({ complete }), trial, { runs: 100, seed: 7 });
      return !fault?.counterexample.includes('Unrecognized key: "itms"');
    });
    expect(missed).toEqual([]);
  });

  it('is found where a command is refused after a draw', () => {
    const lucky = buying((asked) =>
      asked.chance.whole(1, 6) < 6 ? asked.refuse('crates/empty') : bought(asked, 0, 1),
    );
    expect(foundIn(lucky)).toContain('refused after a draw (crates/empty');
    // Once in a hundred: other draws of the same command are tried.
    const seldom = buying((asked) =>
      asked.chance.whole(1, 100) === 1 ? asked.refuse('crates/empty') : bought(asked, 0, 1),
    );
    expect(foundIn(seldom)).toContain('refused after a draw (crates/empty');
  });

  it('is found where the engine refuses what was drawn, or the price of it', () => {
    expect(foundIn(buying((asked) => bought(asked, -asked.chance.whole(1, 9), 1)))).toContain(
      'refused after a draw (item/out-of-stock',
    );
    expect(foundIn(buying((asked) => bought(asked, -1, asked.chance.whole(1, 6))))).toContain('refused after a draw');
  });

  it('is found in goOn, which has none', () => {
    const goOn = ({ id, chance }: Buying & { id: string }) =>
      chance.fraction() > 0.5 ? [{ type: 'unpacked', thing: id }] : [];
    expect(foundIn({ waitingSinceMs: () => 1, dueAtMs: () => undefined, goOn })).toContain('goOn of crates');
  });

  it('is found in a command that the game’s own rows or inventory may refuse', () => {
    const inTransaction = async () => undefined;
    expect(foundIn({ ...drawing, inTransaction })).toContain('decide.buy draws what the game may refuse');
    expect(foundIn(drawing, { hostRefuses: true })).toContain('draw in complete');
    expect(foundIn({ ...drawing, inTransaction }, { hostRefuses: false })).toBe('');
    expect(foundIn({ inTransaction })).toBe('');
  });

  it('does not compile in goOn', () => {
    const rules = {
      // @ts-expect-error Whether a thing goes on must not depend on a draw.
      goOn: ({ chance }) => (chance.fraction() > 1 ? [] : []),
    } satisfies Partial<Rules<object, Record<never, never>, Record<never, never>>>;
    expect(rules.goOn).toBeTypeOf('function');
  });
});

describe('a fault in the trial is found:', () => {
  it('a command that the module does not have', () => {
    const commands = fc.constant({ type: 'upgarde', payload: { site: 'hall' } });
    expect(found(village, { commands })).toContain('“upgarde” is no command of village: it has upgrade, use-card');
  });

  it('commands that are all refused, with the reason', () => {
    const commands = fc.constant({ type: 'use-card', payload: { site: 'hall', card: 'flag' } });
    expect(found(village, { commands })).toContain('“use-card” was never accepted, at last village/idle {}');
    expect(found(village, { commands, mayRefuse: ['use-card', 'upgrade'] })).toBe('');
  });

  it('a command that it never asks for', () => {
    const commands = fc.record({ type: fc.constant('upgrade'), payload: fc.record({ site }) });
    expect(found(village, { commands })).toContain('“use-card” was never asked for: add it to the commands');
    expect(found(village, { commands, mayRefuse: ['use-card'] })).toBe('');
  });

  it('no command at all, in histories that are all empty', () => {
    const commands = fc.constant({ type: 'upgrade', payload: { site: 'hall' } });
    const faults = Array.from({ length: 200 }, (_, seed) =>
      checkModule(village, { ...trial, commands }, { runs: 1, seed }),
    );
    const texts = faults.flat().map(({ counterexample }) => counterexample);
    expect(texts).toContainEqual(expect.stringContaining('no history had a command: give the trial more runs'));
  });

  it('a payload that the server would not read', () => {
    const commands = fc.constant({ type: 'upgrade', payload: { site: 'castle' } });
    expect(found(village, { commands })).toMatch(/“upgrade” was never accepted, at last command\/invalid .*site/);
  });
});

it('tells of one fault only, and finds the same history again by the seed that it printed', () => {
  const invariant = (sites: Readonly<Record<string, object>>): boolean => Object.keys(sites).length < 2;
  const [fault, ...more] = checkModule(village, { ...trial, invariant }, { runs: 60 });
  const seed = Number(/seed: (-?\d+)/.exec(fault?.counterexample ?? '')?.[1]);
  expect(more).toEqual([]);
  expect(checkModule(village, { ...trial, invariant }, { runs: 60, seed })).toEqual([fault]);
  expect(fault?.counterexample).toContain(`{ seed: ${seed}, runs: 60 }`);
});
