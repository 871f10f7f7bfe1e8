import { describe, expect, it } from 'vitest';
import { judge } from '../../server/domain/decide.ts';
import { ModuleFault, unlessFault } from '../../server/domain/module-fault.ts';
import { Modules } from '../../server/domain/modules.ts';
import { openHome } from '../../server/domain/open-home.ts';
import { settle } from '../../server/domain/settle.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { homeWith, type Puppet, type PuppetTurn, puppet } from '../support/modules/puppet.ts';

const fails = () => {
  throw new Error('torn');
};
const settled = (rules: Readonly<Record<string, unknown>>, things: Readonly<Record<string, Puppet>>) => {
  const modules = new Modules([puppet('aa', rules)]);
  return settle(modules, homeWith(modules, { aa: things }, { wood: 1 }), 200);
};
const gone = (id: string) => ({ type: 'gone', thing: id });
const faultOf = (play: () => unknown): ModuleFault => {
  try {
    play();
  } catch (error) {
    if (error instanceof ModuleFault) return error;
    throw error;
  }
  throw new Error('no fault');
};

describe('a rule that fails in a settle is a fault of its module, its thing and itself:', () => {
  it.each([
    ['dueAtMs', { dueAtMs: fails }, {}],
    ['complete', { complete: fails }, { dueAtMs: 110 }],
    ['waitingSinceMs', { waitingSinceMs: fails }, {}],
    ['goOn', { goOn: fails }, { sinceMs: 3 }],
    ['evolve.gone', { evolve: { set: fails, gone: fails } }, { dueAtMs: 110 }],
  ] as const)('%s', (rule, rules, thing) => {
    const fault = faultOf(() => settled(rules, { x: thing }));
    expect(fault).toMatchObject({ name: 'ModuleFault', module: 'aa', thing: 'x', rule });
    expect(fault.message).toBe(`${rule} of aa x: Error: torn`);
    expect(fault.thrown).toEqual(new Error('torn'));
  });

  it('a starter, which is of no thing', () => {
    const modules = new Modules([puppet('aa', { starter: fails })]);
    const fault = faultOf(() => openHome(modules, { ...homeWith(modules, {}), seq: 0, opened: [] }, { nowMs: 1 }));
    expect(fault).toMatchObject({ module: 'aa', thing: undefined, rule: 'starter' });
    expect(fault.message).toBe('starter of aa: Error: torn');
  });

  it('starters that are together more than a stock can count', () => {
    const rich = { starter: () => ({ gold: Number.MAX_SAFE_INTEGER }) };
    const modules = new Modules([puppet('aa', rich), puppet('bb', rich)]);
    const fault = faultOf(() => openHome(modules, { ...homeWith(modules, {}), seq: 0, opened: [] }, { nowMs: 1 }));
    expect(fault).toMatchObject({ module: 'home', thing: undefined, rule: 'starter' });
  });

  it('an opening, which is of no thing until it names one', () => {
    const opening = (open: () => unknown) => {
      const modules = new Modules([puppet('aa', { open })]);
      return faultOf(() => openHome(modules, { ...homeWith(modules, {}), opened: [] }, { nowMs: 150 }));
    };
    expect(opening(fails)).toMatchObject({ module: 'aa', thing: undefined, rule: 'open' });
    expect(opening(() => [{ type: 'sung', thing: 'x' }])).toMatchObject({ module: 'aa', thing: 'x', rule: 'open' });
  });

  it.each([
    ['is sparse', Object.assign([], { 3: gone('x') })],
    ['says that it is longer than it is', Object.assign([], { 4000000000: gone('x') })],
    ['has too many', Array.from({ length: 10_001 }, () => gone('x'))],
  ])('an array of events that %s', (_name, events) => {
    const fault = faultOf(() => settled({ complete: () => events }, { x: { dueAtMs: 110 } }));
    expect(fault).toMatchObject({ module: 'aa', thing: 'x', rule: 'complete' });
    expect(fault.message).toContain('is no array of at most 10000 events');
  });

  it('also where what it throws is no error', () => {
    const complete = () => {
      throw 'torn to pieces';
    };
    expect(faultOf(() => settled({ complete }, { x: { dueAtMs: 110 } })).message).toContain('torn to pieces');
  });
});

describe('a settle stands still', () => {
  it('where a thing is due and nothing happens', () => {
    const due = { x: { dueAtMs: 110 } };
    for (const complete of [() => [], undefined]) {
      expect(faultOf(() => settled({ complete }, due))).toMatchObject({ module: 'aa', thing: 'x', rule: 'complete' });
      expect(() => settled({ complete }, due)).toThrow('returns no event');
    }
  });

  it('where items are taken that are not there', () => {
    const taking =
      (wood: number) =>
      ({ id }: PuppetTurn) => [{ type: 'gone', thing: id, items: { wood } }];
    const fault = faultOf(() => settled({ complete: taking(-2) }, { x: { dueAtMs: 110 } }));
    expect(fault).toMatchObject({ module: 'aa', thing: 'x', rule: 'complete' });
    expect(fault.thrown).toMatchObject({ code: 'item/out-of-stock', params: { item: 'wood', have: 1, need: 2 } });
    expect(fault.message).toContain('item/out-of-stock {"item":"wood","have":1,"need":2}');
    expect(faultOf(() => settled({ goOn: taking(-2) }, { x: { sinceMs: 3 } }))).toMatchObject({ rule: 'goOn' });
  });

  it('where a thing is due, or goes on, without end at one instant', () => {
    const again = ({ id, nowMs }: PuppetTurn) => [{ type: 'set', thing: id, dueAtMs: nowMs }];
    const on = ({ id, thing }: PuppetTurn) => [{ type: 'set', thing: id, sinceMs: thing.sinceMs }];
    const due = faultOf(() => settled({ complete: again }, { x: { dueAtMs: 110 } }));
    const goingOn = faultOf(() => settled({ goOn: on }, { x: { sinceMs: 3 } }));
    expect(due).toMatchObject({ module: 'aa', thing: 'x', rule: 'complete' });
    expect(goingOn).toMatchObject({ module: 'aa', thing: 'x', rule: 'goOn' });
    for (const fault of [due, goingOn]) {
      expect(fault.message).toBe(
        `${fault.rule} of aa x: the thing had 1000 turns at one instant: what it does must take time`,
      );
    }
  });

  it('at the thousandth turn at one instant, and not before', () => {
    const until =
      (last: number, field: 'dueAtMs' | 'sinceMs') =>
      ({ id, thing }: PuppetTurn) => {
        const turns = Number(thing.note ?? 0) + 1;
        return [turns < last ? { ...thing, type: 'set', thing: id, [field]: 110, note: `${turns}` } : gone(id)];
      };
    const due = (last: number) => settled({ complete: until(last, 'dueAtMs') }, { x: { dueAtMs: 110 } });
    const on = (last: number) => settled({ goOn: until(last, 'sinceMs') }, { x: { sinceMs: 3 } });
    expect(due(999)).toHaveLength(999);
    expect(faultOf(() => due(1000))).toMatchObject({ thing: 'x', rule: 'complete' });
    expect(on(999)).toHaveLength(999);
    expect(faultOf(() => on(1000))).toMatchObject({ thing: 'x', rule: 'goOn' });
  });

  it('but not where it takes its time, or many things have their turns', () => {
    const counting =
      (limit: number, stepMs: number) =>
      ({ id, nowMs, thing }: PuppetTurn) => {
        const turns = Number(thing.note ?? 0) + 1;
        return [turns < limit ? { type: 'set', thing: id, dueAtMs: nowMs + stepMs, note: `${turns}` } : gone(id)];
      };
    const modules = new Modules([puppet('aa', { complete: counting(1500, 1) })]);
    expect(settle(modules, homeWith(modules, { aa: { x: { dueAtMs: 110 } } }), 5000)).toHaveLength(1500);
    const most = (dueAtMs: number) => new Array<object>(10_000).fill({ type: 'set', thing: 'x', dueAtMs });
    const many = ({ id, nowMs }: PuppetTurn) => (nowMs < 116 ? most(nowMs + 1) : [gone(id)]);
    expect(settled({ complete: many }, { x: { dueAtMs: 110 } })).toHaveLength(60_001);
    expect(settled({ complete: counting(600, 0) }, { x: { dueAtMs: 110 }, y: { dueAtMs: 110 } })).toHaveLength(1200);
    const two = new Modules([
      puppet('aa', { complete: counting(600, 0) }),
      puppet('bb', { complete: counting(600, 0) }),
    ]);
    const twins = homeWith(two, { aa: { x: { dueAtMs: 110 } }, bb: { x: { dueAtMs: 110 } } });
    expect(settle(two, twins, 200)).toHaveLength(1200);
  });
});

type Events = readonly Readonly<Record<string, unknown>>[];
const said = (
  events: Events | undefined,
  { rules = {}, things = {} }: { rules?: Readonly<Record<string, unknown>>; things?: Record<string, Puppet> } = {},
) => {
  const modules = new Modules([puppet('aa', rules)]);
  const home = homeWith(modules, { aa: things }, { wood: 3 });
  const command = { type: 'aa:say', events: events as never };
  const { decision, home: after } = judge({ modules, home, command, commandId: 'command-1', nowMs: 150 });
  if (!decision.ok) expect(after).toEqual(home);
  return decision;
};

describe('a command', () => {
  it('has its events dated and numbered; its id stands on the first', () => {
    const events = [
      { type: 'set', thing: 'x', dueAtMs: 160, items: { wood: -3, gold: 1 } },
      { type: 'set', thing: 'y', note: 'hi' },
    ];
    expect(said(events, { rules: { version: 4 } })).toMatchObject({
      ok: true,
      value: [
        {
          v: 4,
          seq: 11,
          at: 150,
          commandId: 'command-1',
          type: 'aa/set',
          thing: 'x',
          dueAtMs: 160,
          items: { wood: -3, gold: 1 },
        },
        { v: 4, seq: 12, at: 150, type: 'aa/set', thing: 'y', note: 'hi' },
      ],
      home: { seq: 12, lastAtMs: 150, items: { gold: 1 }, things: { aa: { x: { dueAtMs: 160 }, y: { note: 'hi' } } } },
    });
    const decision = said(events);
    expect(decision.ok && Object.keys(decision.value[1] ?? {})).toEqual(['v', 'seq', 'at', 'type', 'thing', 'note']);
  });

  it.each([
    ['returns nothing', [], 'neither event nor refusal'],
    ['returns undefined', undefined, 'neither event nor refusal'],
    ['returns an event of no contract', [{ type: 'sung', thing: 'x' }], 'the event sung, which is not in its contract'],
    ['names no thing', [{ type: 'gone' }], 'the event gone needs a thing'],
    ['names a thing without a name', [{ type: 'gone', thing: '' }], 'the event gone needs a thing'],
    ['names what is no name', [{ type: 'gone', thing: 7 }], 'the event gone needs a thing'],
    [
      'misspells a field',
      [{ type: 'gone', thing: 'x', dueAt: 7 }],
      'not as its contract says: Unrecognized key: "dueAt"',
    ],
    ['has a wrong field', [{ type: 'set', thing: 'x', note: 7 }], 'not as its contract says: note: Invalid input'],
    [
      'has two wrong fields',
      [{ type: 'set', thing: 'x', note: 7, dueAtMs: 'noon' }],
      'dueAtMs: Invalid input: expected number, received string; note: Invalid input',
    ],
    ['gives half an item', [{ type: 'gone', thing: 'x', items: { wood: 0.5 } }], 'items.wood is no whole number'],
    ['gives too many to count', [{ type: 'gone', thing: 'x', items: { wood: 2 ** 53 } }], 'is no whole number'],
  ])('whose rule %s is refused with module/fault, and changes nothing', (_, events, why) => {
    const decision = said(events);
    expect(decision).toMatchObject({ ok: false, error: { code: 'module/fault', retryable: false } });
    expect(!decision.ok && decision.fault).toBeInstanceOf(ModuleFault);
    expect(!decision.ok && decision.fault).toMatchObject({ module: 'aa', rule: 'decide.say' });
    expect(!decision.ok && decision.fault?.message).toContain(why);
  });

  it('whose rule throws is refused with module/fault, which names the module, and the thing where it is of one', () => {
    const decision = said([], { rules: { decide: { say: fails } } });
    expect(decision).toMatchObject({ ok: false, error: { code: 'module/fault', params: { module: 'aa' } } });
    expect(!decision.ok && decision.error.params).toStrictEqual({ module: 'aa' });
    const evolving = said([{ type: 'gone', thing: 'x' }], { rules: { evolve: { gone: fails, set: fails } } });
    expect(!evolving.ok && evolving.error.params).toEqual({ module: 'aa', thing: 'x' });
  });

  it('is refused with item/out-of-stock by the engine itself', () => {
    const params = { item: 'wood', have: 3, need: 4 };
    const decision = said([{ type: 'gone', thing: 'x', items: { gold: 1, wood: -4 } }]);
    expect(decision).toEqual({ ok: false, error: { code: 'item/out-of-stock', params, retryable: false } });
    const twice = said([
      { type: 'gone', thing: 'x', items: { wood: -2 } },
      { type: 'gone', thing: 'y', items: { wood: -2 } },
    ]);
    expect(twice).toMatchObject({ ok: false, error: { params: { item: 'wood', have: 1, need: 2 } } });
  });

  it('is refused with what its rule refuses', () => {
    const rules = { decide: { say: () => ({ code: 'aa/asleep', params: { until: 7 } }) } };
    expect(said([], { rules })).toMatchObject({ ok: false, error: { code: 'aa/asleep', params: { until: 7 } } });
  });

  it('makes no more things than the contract allows; those that are there go on', () => {
    const two = { x: {}, y: {} };
    const many = { rules: { maxThings: 2 }, things: two };
    expect(said([{ type: 'set', thing: 'z' }], many)).toMatchObject({
      ok: false,
      error: { code: 'module/too-many', params: { module: 'aa', max: 2 } },
    });
    expect(said([{ type: 'set', thing: 'y', note: 'hi' }], many)).toMatchObject({ ok: true });
    expect(said([{ type: 'gone', thing: 'y' }], many)).toMatchObject({ ok: true });
    expect(said([{ type: 'set', thing: 'y' }], { rules: { maxThings: 2 }, things: { x: {} } })).toMatchObject({
      ok: true,
    });
    expect(said([{ type: 'set', thing: 'y' }], { rules: { maxThings: 1 }, things: two })).toMatchObject({ ok: true });
  });

  it('makes nothing due where the clock has ended', () => {
    const at = (dueAtMs: number) => said([{ type: 'set', thing: 'x', dueAtMs }]);
    expect(at(LATEST_MS - 1)).toMatchObject({ ok: true });
    expect(at(LATEST_MS)).toMatchObject({
      ok: false,
      error: { code: 'thing/too-long', params: { module: 'aa', thing: 'x', dueAt: LATEST_MS, latestAt: LATEST_MS } },
    });
  });
});

describe('the wall around a rule', () => {
  type Rule = (...given: readonly unknown[]) => unknown;
  const rulesOf = (rules: Readonly<Record<string, unknown>>): Readonly<Record<string, Rule>> =>
    new Modules([puppet('aa', rules)]).all[0]?.rules as never;
  const asked = (rule: string, answer: unknown) => () => rulesOf({ [rule]: () => answer })[rule]?.({}, 'x');

  it.each([
    ['run', ['r1'], [7, undefined], 'is no text'],
    ['reply', [{}, { told: 1 }], [7, undefined], 'is no object'],
    ['limit', [0, 2.5], [-1, Number.NaN, '3'], 'is no number of 0 or more'],
    ['starter', [{}, { wood: 0 }], [{ wood: -1 }, { wood: 0.5 }, { wood: '1' }, 7], 'is no object of whole numbers'],
    ['doneOf', [undefined, [], Array(10_000).fill('x')], [Array(10_001).fill('x'), [7], 7], 'is no array of at most'],
    [
      'stop',
      [undefined, [], { code: 'aa/no', params: {} }],
      [{ code: 'no', params: {} }, { code: 'aa/no' }, { code: 7, params: {} }, { params: {} }],
      'is neither events nor a refusal',
    ],
  ] as const)('%s takes what is right, and says what is wrong', (rule, right, wrong, what) => {
    for (const answer of right) expect(asked(rule, answer)()).toBe(answer);
    for (const answer of wrong) {
      const { message } = faultOf(asked(rule, answer));
      expect(message.replace(/^.*?: /, '')).toMatch(new RegExp(`^TypeError: what it returns ${what}`));
    }
  });

  it('gives a rule of a thing the thing alone, and `run` its id as well', () => {
    const count = (...given: readonly unknown[]): number => given.length;
    const { dueAtMs, run } = rulesOf({ dueAtMs: count, run: (...given: readonly unknown[]) => `${count(...given)}` });
    expect([dueAtMs?.({}, 'x'), run?.({}, 'x')]).toEqual([1, '3']);
  });

  it('keeps the place of a fault that is thrown through it, and calls nothing that is no rule', () => {
    const inner = new ModuleFault({ module: 'bb', rule: 'goOn' }, 'torn');
    const throwing = () => {
      throw inner;
    };
    expect(faultOf(() => rulesOf({ run: throwing }).run?.({}, 'x'))).toBe(inner);
    expect(rulesOf({ run: 5 }).run).toBeUndefined();
  });
});

it('what a failing rule should tell is left out where it is only shown; any other error is thrown', () => {
  expect(unlessFault(() => 7)).toBe(7);
  expect(
    unlessFault(() => {
      throw new ModuleFault({ module: 'aa', rule: 'title' }, 'torn');
    }),
  ).toBeUndefined();
  expect(() => unlessFault(fails)).toThrow('torn');
});
