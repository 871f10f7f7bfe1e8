import { describe, expect, it } from 'vitest';
import { Modules } from '../../server/domain/modules.ts';
import { settle, settleSome } from '../../server/domain/settle.ts';
import { homeWith, type Puppet, type PuppetTurn, puppet, told } from '../support/modules/puppet.ts';

/** A waiting thing takes one of an item, and may give another. */
const taking =
  (item: string, gives: Readonly<Record<string, number>> = {}) =>
  ({ id, items }: PuppetTurn) =>
    (items[item] ?? 0) > 0 ? [{ type: 'gone', thing: id, items: { [item]: -1, ...gives } }] : [];
/** At its end it moves the items that its note says. */
const moving = ({ id, thing }: PuppetTurn) => [
  { type: 'gone', thing: id, items: JSON.parse(thing.note ?? '{}') as Record<string, number> },
];
const due = (dueAtMs: number, items: Readonly<Record<string, number>> = {}): Puppet => ({
  dueAtMs,
  note: JSON.stringify(items),
});

describe('what is due is completed', () => {
  it('by due time, then module, then id, in whatever order it lies', () => {
    const modules = new Modules([puppet('bb'), puppet('aa')]);
    const home = homeWith(modules, {
      bb: { x: due(110), k: due(105) },
      aa: { w: due(120), z: due(110), y: due(110), v: due(121), rests: {} },
    });
    expect(told(settle(modules, home, 120))).toEqual([
      ['bb/gone', 'k', 105],
      ['aa/gone', 'y', 110],
      ['aa/gone', 'z', 110],
      ['bb/gone', 'x', 110],
      ['aa/gone', 'w', 120],
    ]);
  });

  it('at its due time, and never before the newest event of the log', () => {
    const modules = new Modules([puppet('aa')]);
    const home = homeWith(modules, { aa: { late: due(40), soon: due(101) } });
    expect(told(settle(modules, home, 50))).toEqual([['aa/gone', 'late', 100]]);
    expect(told(settle(modules, home, 200))).toEqual([
      ['aa/gone', 'late', 100],
      ['aa/gone', 'soon', 101],
    ]);
  });

  it('up to a bound, and goes on from there as if it had not ended', () => {
    const modules = new Modules([puppet('aa', { complete: moving, goOn: taking('wood') })]);
    const things = { x: due(110, { wood: 1 }), y: due(120), z: due(130), waits: { sinceMs: 3 } };
    const home = homeWith(modules, { aa: things });
    const all = settle(modules, home, 200);
    expect(told(all)).toEqual([
      ['aa/gone', 'x', 110],
      ['aa/gone', 'waits', 110],
      ['aa/gone', 'y', 120],
      ['aa/gone', 'z', 130],
    ]);
    for (const [maxEvents, length] of [
      [1, 2],
      [2, 2],
      [3, 3],
    ] as const) {
      const some = settleSome(modules, home, { nowMs: 200, maxEvents });
      expect(some).toMatchObject({ isSettled: false, events: { length } });
      const rest = settleSome(modules, some.home, { nowMs: 200, maxEvents: 9 });
      expect(rest.isSettled).toBe(true);
      expect([...some.events, ...rest.events]).toEqual(all);
    }
    expect(settleSome(modules, home, { nowMs: 200, maxEvents: 4 })).toMatchObject({ isSettled: true, events: all });
  });
});

describe('who waits is asked', () => {
  it('by since when, then module, then id, at the instant at which they can go on', () => {
    const modules = new Modules([
      puppet('bb', { goOn: taking('wood') }),
      puppet('aa', { complete: moving, goOn: taking('wood') }),
    ]);
    const home = homeWith(modules, {
      bb: { a: { sinceMs: 2 }, m: { sinceMs: 1 }, rests: {} },
      aa: { q: { sinceMs: 2 }, p: { sinceMs: 2 }, first: due(150, { wood: 3 }) },
    });
    expect(told(settle(modules, home, 200))).toEqual([
      ['aa/gone', 'first', 150],
      ['bb/gone', 'm', 150],
      ['aa/gone', 'p', 150],
      ['aa/gone', 'q', 150],
    ]);
  });

  it('from the first again after each that goes on', () => {
    const goOn = (turn: PuppetTurn) =>
      turn.id === 'carpenter' ? taking('wood', { gold: 1 })(turn) : taking('gold')(turn);
    const modules = new Modules([puppet('aa', { complete: moving, goOn })]);
    const home = homeWith(modules, {
      aa: {
        late: { sinceMs: 3 },
        early: { sinceMs: 1 },
        carpenter: { sinceMs: 2 },
        first: due(150, { wood: 1 }),
      },
    });
    expect(told(settle(modules, home, 200))).toEqual([
      ['aa/gone', 'first', 150],
      ['aa/gone', 'carpenter', 150],
      ['aa/gone', 'early', 150],
    ]);
  });

  it('at the end too, though nothing was due', () => {
    const modules = new Modules([puppet('aa', { goOn: taking('wood') })]);
    const home = homeWith(modules, { aa: { x: { sinceMs: 3 }, y: { sinceMs: 4 } } }, { wood: 1 });
    expect(told(settle(modules, home, 200))).toEqual([['aa/gone', 'x', 200]]);
    expect(told(settle(modules, home, 50))).toEqual([['aa/gone', 'x', 100]]);
  });

  it('with those who began to wait only meanwhile', () => {
    const complete = (turn: PuppetTurn) =>
      turn.id === 'later' ? [{ type: 'set', thing: 'later', dueAtMs: 999, sinceMs: turn.nowMs }] : moving(turn);
    const goOn = (turn: PuppetTurn) => taking(turn.id === 'later' ? 'wood' : 'gold')(turn);
    const modules = new Modules([puppet('aa', { complete, goOn })]);
    const home = homeWith(modules, { aa: { waits: { sinceMs: 3 }, later: due(150), last: due(160, { wood: 1 }) } });
    expect(told(settle(modules, home, 200))).toEqual([
      ['aa/set', 'later', 150],
      ['aa/gone', 'last', 160],
      ['aa/gone', 'later', 160],
    ]);
    const alone = homeWith(modules, { aa: { waits: { sinceMs: 3 }, later: due(150) } }, { wood: 1 });
    expect(told(settle(modules, alone, 200))).toEqual([
      ['aa/set', 'later', 150],
      ['aa/gone', 'later', 150],
    ]);
  });

  it('and what thereby becomes due is completed, and who waits is asked again', () => {
    const goOn = ({ id, items, nowMs }: PuppetTurn) =>
      (items.wood ?? 0) > 0 ? [{ type: 'set', thing: id, dueAtMs: nowMs, items: { wood: -1 } }] : [];
    const complete = ({ id }: PuppetTurn) => [{ type: 'gone', thing: id, items: { wood: 1 } }];
    const modules = new Modules([puppet('aa', { goOn, complete })]);
    const home = homeWith(modules, { aa: { x: { sinceMs: 3 }, y: { sinceMs: 4 } } }, { wood: 1 });
    expect(told(settle(modules, home, 200))).toEqual([
      ['aa/set', 'x', 200],
      ['aa/gone', 'x', 200],
      ['aa/set', 'y', 200],
      ['aa/gone', 'y', 200],
    ]);
  });
});

it('who waits in a module without such rules waits on, and what is due there is completed', () => {
  for (const rules of [{ goOn: undefined }, { waitingSinceMs: undefined }]) {
    const modules = new Modules([puppet('aa', rules)]);
    const home = homeWith(modules, { aa: { x: { sinceMs: 3 }, first: due(150) } });
    expect(told(settle(modules, home, 200))).toEqual([['aa/gone', 'first', 150]]);
  }
});

describe('who could go on before anything has happened', () => {
  const modules = new Modules([puppet('aa', { complete: moving, goOn: taking('wood') })]);

  it('goes on now, for what it needs came without an event; the others do when they can', () => {
    const both = new Modules([
      puppet('aa', { complete: moving, goOn: taking('wood') }),
      puppet('bb', { goOn: taking('gold') }),
    ]);
    const home = homeWith(
      both,
      { aa: { x: { sinceMs: 3 }, first: due(150, { gold: 1 }) }, bb: { y: { sinceMs: 4 } } },
      { wood: 1 },
    );
    expect(told(settle(both, home, 200))).toEqual([
      ['aa/gone', 'first', 150],
      ['bb/gone', 'y', 150],
      ['aa/gone', 'x', 200],
    ]);
  });

  it('waits like everybody from the first rest at which it no longer could', () => {
    const things = { x: { sinceMs: 3 }, takes: due(150, { wood: -1 }), gives: due(160, { wood: 1 }), end: due(170) };
    expect(told(settle(modules, homeWith(modules, { aa: things }, { wood: 1 }), 200))).toEqual([
      ['aa/gone', 'takes', 150],
      ['aa/gone', 'gives', 160],
      ['aa/gone', 'x', 160],
      ['aa/gone', 'end', 170],
    ]);
  });

  it('stays aside as long as it could, whoever else goes on', () => {
    const things = { x: { sinceMs: 3 }, more: due(150, { wood: 1 }), end: due(170) };
    expect(told(settle(modules, homeWith(modules, { aa: things }, { wood: 1 }), 200))).toEqual([
      ['aa/gone', 'more', 150],
      ['aa/gone', 'end', 170],
      ['aa/gone', 'x', 200],
    ]);
  });
});
