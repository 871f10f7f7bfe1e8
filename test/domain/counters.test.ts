import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countersFlaw } from '../../server/domain/counters.ts';
import { judge } from '../../server/domain/decide.ts';
import { fold } from '../../server/domain/evolve.ts';
import { mergeHomes } from '../../server/domain/merge.ts';
import { Modules } from '../../server/domain/modules.ts';
import { settle } from '../../server/domain/settle.ts';
import { countersOf, type Home, higherCounters, withCounters } from '../../shared/home.ts';
import { homeWith, type PuppetTurn, puppet } from '../support/modules/puppet.ts';

const modules = new Modules([puppet('aa'), puppet('bb')]);
const empty = homeWith(modules, {});
const say = (home: Home, events: readonly object[], module = 'aa', of = modules) =>
  judge({ modules: of, home, command: { type: `${module}:say`, events }, commandId: 'command-1', nowMs: 150 });
const set = (counters: unknown, thing = 'x') => ({ type: 'set', thing, counters });
/** All that the home counts, as a plain object: what rules get has no prototype. */
const plain = ({ counters }: Pick<Home, 'counters'>) => JSON.parse(JSON.stringify(counters));

describe('counters of a module', () => {
  it('have the values that its events say, whatever becomes of the things; 0 removes one', () => {
    const events = [set({ chest: 3, kept: 1 }), { type: 'gone', thing: 'x', counters: { chest: 0, other: 2 } }];
    const { home, decision } = say(empty, events);
    expect(plain(home)).toEqual({ aa: { kept: 1, other: 2 } });
    expect(home.things).toEqual({});
    expect(decision).toMatchObject({ value: [{ counters: { chest: 3, kept: 1 } }, { counters: { chest: 0 } }] });
    expect(plain(say(home, [set({ kept: 0, other: 0 })]).home)).toEqual({});
  });

  it('are its own: two modules count under one name', () => {
    const { home } = say(say(empty, [set({ chest: 3 })]).home, [set({ chest: 5 })], 'bb');
    expect(plain(home)).toEqual({ aa: { chest: 3 }, bb: { chest: 5 } });
  });

  it('are in the scene of each rule, and a name that every object has is not there', () => {
    const seen = new Set<string>();
    const note = (rule: string, { counters }: PuppetTurn): boolean =>
      seen.add(`${rule} ${counters.chest} ${counters.constructor}`).size > 0;
    const rules = {
      decide: { say: (turn: PuppetTurn) => note('decide', turn) && [{ type: 'set', thing: 'y', sinceMs: 1 }] },
      complete: (turn: PuppetTurn) => note('complete', turn) && [set({ chest: 2 }, turn.id)],
      goOn: (turn: PuppetTurn) =>
        note('goOn', turn) && turn.counters.chest === 2 ? [{ type: 'gone', thing: turn.id }] : [],
    };
    const own = new Modules([puppet('aa', rules)]);
    const home = { ...homeWith(own, { aa: { x: { dueAtMs: 160 } } }), counters: withCounters({}, 'aa', { chest: 1 }) };
    settle(own, say(home, [], 'aa', own).home, 200);
    const expected = ['decide 1', 'goOn 1', 'complete 1', 'goOn 2'];
    expect([...seen]).toEqual(expected.map((each) => `${each} undefined`));
  });

  it('fold from the log to what they are, whatever was counted', () => {
    const counters = fc.dictionary(fc.constantFrom('chest', '__proto__', 'constructor', 'a b'), fc.nat(3));
    const steps = fc.array(fc.record({ module: fc.constantFrom('aa', 'bb'), counters }), { maxLength: 20 });
    fc.assert(
      fc.property(steps, (all) => {
        const expected = new Map<string, number>();
        let home = empty;
        for (const step of all) {
          home = say(home, [set(step.counters)], step.module).home;
          for (const [name, value] of Object.entries(step.counters)) expected.set(`${step.module} ${name}`, value);
        }
        const found = Object.entries(home.counters).flatMap(([module, own]) =>
          Object.entries(own).map(([name, value]) => [`${module} ${name}`, value]),
        );
        expect(new Map(found as [string, number][])).toEqual(new Map([...expected].filter(([, value]) => value > 0)));
      }),
    );
  });

  it('of a module that was taken out for good stay as the log says', () => {
    const left = new Modules([puppet('bb')], ['aa']);
    const event = { v: 1, seq: 11, at: 150, type: 'aa/set', thing: 'x', counters: { chest: 4 } };
    expect(plain(fold(left, empty, [event]))).toEqual({ aa: { chest: 4 } });
  });
});

describe('counters that cannot be', () => {
  it.each([
    ['NaN', { chest: Number.NaN }],
    ['a negative number', { chest: -1 }],
    ['a fraction', { chest: 0.5 }],
    ['more than can be counted', { chest: 2 ** 53 }],
    ['a text', { chest: '3' }],
    ['a promise', () => ({ chest: Promise.reject(new Error('torn')) })],
    ['a list', [1]],
    ['a text for all', 'chest'],
    ['no name', { '': 1 }],
    ['a name with half an emoji', { '\ud83d': 1 }],
    ['a name that is too long', { ['x'.repeat(129)]: 1 }],
    ['too many names', Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`n${at}`, 1]))],
  ])('are a fault of the module: %s', (_, counters) => {
    const { decision, home } = say(empty, [set(typeof counters === 'function' ? counters() : counters)]);
    expect(decision).toMatchObject({
      ok: false,
      error: { code: 'module/fault', params: { module: 'aa', thing: 'x' } },
    });
    expect(home).toBe(empty);
  });

  it('are a fault also where a settle brings them', () => {
    const complete = ({ id }: PuppetTurn) => [{ type: 'gone', thing: id, counters: { chest: -1 } }];
    const own = new Modules([puppet('aa', { complete })]);
    const settling = () => settle(own, homeWith(own, { aa: { x: { dueAtMs: 110 } } }), 200);
    expect(settling).toThrow(expect.objectContaining({ name: 'ModuleFault', rule: 'complete', thing: 'x' }));
  });

  it('are no fault where a merge brought more than a thousand, as long as they do not become more', () => {
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`n${at}`, 1]));
    const home = { ...empty, counters: withCounters({}, 'aa', many) };
    expect(say(home, [set({ n0: 7 })]).decision.ok).toBe(true);
    expect(say(home, [set({ n0: 0 })]).decision.ok).toBe(true);
    expect(say(home, [set({ more: 1 })]).decision.ok).toBe(false);
  });
});

describe('counters of two homes that become one', () => {
  const by = { commandId: 'merge-001', by: 'ada', reason: 'because of a test', nowMs: 150 };
  const counting = (playerId: string, counters: Home['counters']): Home => ({ ...empty, playerId, counters });

  it('have the higher value of each, by the log', () => {
    const guest = counting('gast', { aa: { chest: 3, once: 1 }, bb: { chest: 1 } });
    const account = counting('anna', { aa: { chest: 2, own: 5 } });
    const merged = mergeHomes({ modules, guest, account, ...by });
    expect(plain(fold(modules, account, merged.account))).toEqual({
      aa: { chest: 3, own: 5, once: 1 },
      bb: { chest: 1 },
    });
    const other = mergeHomes({ modules, guest: { ...account, playerId: 'gast' }, account: guest, ...by });
    expect(plain(fold(modules, guest, other.account))).toEqual({ aa: { chest: 3, own: 5, once: 1 }, bb: { chest: 1 } });
  });

  it('say nothing in the log where the guest counted nothing', () => {
    const { account } = mergeHomes({ modules, guest: counting('gast', {}), account: empty, ...by });
    expect(account[0]).not.toHaveProperty('counters');
  });

  it('are the same whichever is merged into which', () => {
    const own = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 3 }));
    const all = fc
      .dictionary(fc.constantFrom('aa', 'bb'), own)
      .map((given) =>
        Object.entries(given).reduce<Home['counters']>(
          (sum, [module, values]) => withCounters(sum, module, values),
          {},
        ),
      );
    fc.assert(
      fc.property(all, all, (one, other) => {
        const both = higherCounters(one, other);
        expect(both).toEqual(higherCounters(other, one));
        for (const module of ['aa', 'bb']) {
          for (const name of ['a', 'b', 'c']) {
            const values = [one, other].map((counters) => countersOf({ counters }, module)[name] ?? 0);
            expect(countersOf({ counters: both }, module)[name] ?? 0).toBe(Math.max(...values));
          }
        }
      }),
    );
  });
});

describe('what an event may set', () => {
  it.each([null, 5, 'text', [], undefined])('is an object: %j is none', (values) => {
    expect(countersFlaw({}, 'aa', values)).toBe('counters is no object of whole numbers');
  });

  it('has names of up to 128 characters, and up to 1,000 counters of a player', () => {
    const named = (length: number) => countersFlaw({}, 'aa', { ['x'.repeat(length)]: 1 });
    expect([named(128), named(129)]).toEqual([undefined, expect.stringContaining('of 1 to 128 characters')]);
    const many = (count: number) =>
      countersFlaw({}, 'aa', Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, 1])));
    expect([many(1000), many(1001)]).toEqual([undefined, expect.stringContaining('more than 1000')]);
  });
});
