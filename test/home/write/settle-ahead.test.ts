import { describe, expect, it } from 'vitest';
import { ModuleFault, ModuleMissing } from '../../../server/domain/module-fault.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { type Settled, settle } from '../../../server/domain/settle.ts';
import type { SlowRules } from '../../../server/home/model/home-measurement.ts';
import { SLOW_RULES_MS } from '../../../server/home/model/home-measurement.ts';
import { AheadSettler, type SettledPart, type UnsettledHome } from '../../../server/home/write/settle-ahead.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import type { Home } from '../../../shared/home.ts';
import { homeWith, type PuppetTurn, puppet } from '../../support/modules/puppet.ts';

/** A home of things that are due one after the other, and the completions that its rules were asked for. */
const world = (fault?: { readonly thing: string; readonly error: () => Error }) => {
  const asked: string[] = [];
  const complete = ({ id }: PuppetTurn) => {
    asked.push(id);
    if (id === fault?.thing) throw fault.error();
    return [{ type: 'gone', thing: id, items: { wood: 1 } }];
  };
  const modules = new Modules([puppet('aa', { complete })]);
  const things = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id, at) => [id, { dueAtMs: 110 + at }]));
  return { modules, asked, home: homeWith(modules, { aa: things }) };
};

const seed = { bits: () => 0, epoch: 'e', life: 0 };
const unsettled = (home: Home, changed: Partial<UnsettledHome> = {}): UnsettledHome => ({
  home,
  seed,
  nowMs: 200,
  maxEvents: 2,
  ...changed,
});
const settledIn = ({ found }: SettledPart): Settled => {
  if (found instanceof ModuleFault) throw found;
  return found;
};
const clock = new ManualClock(0);
/** As the database gives it back: equal, and another object. */
const stored = (home: Home): Home => structuredClone(home);

describe('the next part of a home that was away', () => {
  it('is made while the part before it is written, and not made again', () => {
    const { modules, asked, home } = world();
    const ahead = new AheadSettler({ modules, clock });
    const first = settledIn(ahead.settle(unsettled(home)));
    expect(asked).toEqual(['a', 'b']);
    clock.advance(0);
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    const second = ahead.settle(unsettled(stored(first.home), { nowMs: 201 }));
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    expect(second.before).toEqual(first.home);
    clock.advance(0);
    const third = ahead.settle(unsettled(stored(settledIn(second).home), { nowMs: 202 }));
    expect(settledIn(third).isSettled).toBe(true);
    const parts = [first, settledIn(second), settledIn(third)];
    expect(parts.flatMap(({ events }) => events)).toEqual(settle(modules, home, 202));
  });

  it('is named when its rules run for long', () => {
    const watch = new ManualClock(0);
    const complete = ({ id }: PuppetTurn) => {
      watch.advance(SLOW_RULES_MS);
      return [{ type: 'gone', thing: id }];
    };
    const modules = new Modules([puppet('aa', { complete })]);
    const slow: SlowRules[] = [];
    const measure = { clock: watch, observe: () => undefined, slow: (one: SlowRules) => slow.push(one) };
    const things = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id) => [id, { dueAtMs: 110 }]));
    const ahead = new AheadSettler({ modules, clock, measure });
    ahead.settle(unsettled(homeWith(modules, { aa: things })));
    expect(slow).toEqual([]);
    clock.advance(0);
    expect(slow).toMatchObject([{ playerId: 'anna', modules: ['aa'], command: undefined, tookMs: 2 * SLOW_RULES_MS }]);
  });

  it('is not made by two when the database was quicker', () => {
    const { modules, asked, home } = world();
    const ahead = new AheadSettler({ modules, clock });
    const { home: after } = settledIn(ahead.settle(unsettled(home)));
    ahead.settle(unsettled(stored(after), { maxEvents: 9 }));
    clock.advance(0);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  const others: readonly (readonly [string, (after: Home) => UnsettledHome])[] = [
    ['the home has another event', (after) => unsettled({ ...after, seq: after.seq + 1 })],
    ['the game changed the stock itself', (after) => unsettled({ ...after, items: { wood: 1 } })],
    ['the player was erased and began again', (after) => unsettled(after, { seed: { ...seed, life: 1 } })],
    ['the clock went back', (after) => unsettled(after, { nowMs: 199 })],
    ['the batch has room for fewer events', (after) => unsettled(after, { maxEvents: 1 })],
  ];
  it.each(others)('is made again when %s', (_, changed) => {
    const { modules, asked, home } = world();
    const ahead = new AheadSettler({ modules, clock });
    const { home: after } = settledIn(ahead.settle(unsettled(home)));
    clock.advance(0);
    asked.length = 0;
    const from = changed(stored(after));
    expect(ahead.settle(from).before).toBe(from.home);
    expect(asked[0]).toBe('c');
  });

  it('is made again when it was the last: more may be due by now', () => {
    const { modules, home } = world();
    const ahead = new AheadSettler({ modules, clock });
    const { home: after } = settledIn(ahead.settle(unsettled(home, { nowMs: 112, maxEvents: 2 })));
    clock.advance(0);
    const last = settledIn(ahead.settle(unsettled(stored(after), { nowMs: 114, maxEvents: 9 })));
    expect(last.events.map(({ thing }) => thing)).toEqual(['c', 'd', 'e']);
  });

  it('is made again when a rule failed: what failed is told where it is settled for good', () => {
    for (const error of [() => new Error('torn'), () => new ModuleMissing('aa')]) {
      const { modules, asked, home } = world({ thing: 'c', error });
      const ahead = new AheadSettler({ modules, clock });
      const { home: after } = settledIn(ahead.settle(unsettled(home)));
      clock.advance(0);
      expect(asked).toEqual(['a', 'b', 'c']);
      expect(ahead.settle(unsettled(stored(after))).found).toMatchObject({ rule: 'complete', thing: 'c' });
      expect(asked).toEqual(['a', 'b', 'c', 'c']);
    }
  });
});
