import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../server/domain/decide.ts';
import { Impossible } from '../../server/domain/draft.ts';
import { Modules } from '../../server/domain/modules.ts';
import { settle } from '../../server/domain/settle.ts';
import { homeWith, puppet } from '../support/modules/puppet.ts';

const events = {
  set: z.object({ note: z.string().optional() }),
  deep: z.object({ inner: z.object({ count: z.int() }) }),
  gone: z.object({}),
};
const keep = (_: unknown, { note }: { readonly note?: string }) => (note === undefined ? {} : { note });
const evolve = { set: keep, deep: keep, gone: () => undefined };

const said = (drafts: readonly object[], rules: Readonly<Record<string, unknown>> = {}) => {
  const modules = new Modules([puppet('aa', { events, evolve, ...rules })]);
  const home = homeWith(modules, {}, { wood: 1 });
  const command = { type: 'aa:say', events: drafts } as never;
  return judge({ modules, home, command, commandId: 'command-1', nowMs: 150 }).decision;
};
const faultOf = (drafts: readonly object[], rules: Readonly<Record<string, unknown>> = {}): string => {
  const decision = said(drafts, rules);
  return String(!decision.ok && decision.fault?.message);
};

it('an id has at most 256 characters, and the fault of a longer one says so', () => {
  expect(said([{ type: 'set', thing: 'x'.repeat(256) }])).toMatchObject({ ok: true });
  const message = 'the event set is of a thing whose id is not text of 1 to 256 characters';
  for (const thing of ['x'.repeat(257), 'a\0b']) expect(faultOf([{ type: 'set', thing }])).toContain(message);
});

it('an event whose name is no text is shown as one without a name', () => {
  const message = 'it returns the event without a name, which is not in its contract';
  for (const type of [7, undefined]) expect(faultOf([{ type, thing: 'x' }])).toContain(message);
});

it('a thing that is no text is in no fault', () => {
  const decision = said([{ type: 'set', thing: 7 }]);
  expect(!decision.ok && decision.fault).toMatchObject({ thing: undefined });
});

it('a wrong field deep in an event is named with its path', () => {
  const message = 'is not as its contract says: inner.count: Invalid input';
  expect(faultOf([{ type: 'deep', thing: 'x', inner: { count: 'one' } }])).toContain(message);
});

describe('an event and a thing are kept', () => {
  /** The JSON of `[{"note":"…"},null,null]` but for its note: what is measured of an event. */
  const AROUND = JSON.stringify([{ note: '' }, null, null]).length;

  it('up to a million bytes of JSON', () => {
    const long = (bytes: number) => [{ type: 'set', thing: 'x', note: 'y'.repeat(bytes - AROUND) }];
    const forgets = { evolve: { ...evolve, set: () => ({}) } };
    expect(said(long(1_000_000), forgets)).toMatchObject({ ok: true });
    expect(faultOf(long(1_000_001), forgets)).toContain("the event set can't be kept: is longer than 1000000 bytes");
  });

  it('unless the thing that an event makes is too long: a fault that tells of the thing', () => {
    const grows = { evolve: { ...evolve, set: () => ({ note: 'y'.repeat(1_000_000) }) } };
    expect(faultOf([{ type: 'set', thing: 'x' }], grows)).toContain("the thing can't be kept: is longer than");
  });

  it('with counters and items that are measured with it', () => {
    const items = { 'half \ud83d': 1 };
    expect(faultOf([{ type: 'set', thing: 'x', items }])).toContain("the event set can't be kept: ");
  });

  it('frozen, the events of the engine too', () => {
    const decision = said([{ type: 'set', thing: 'x', items: { wood: -1 } }]);
    expect(decision.ok && decision.value.every((event) => Object.isFrozen(event) && Object.isFrozen(event.items))).toBe(
      true,
    );
    const modules = new Modules([puppet('aa')]);
    const command = { type: 'home:grant' as const, items: { wood: 2 }, reason: 'gift' };
    const home = homeWith(modules, {});
    const granted = judge({ modules, home, command, commandId: 'command-1', nowMs: 150 }).decision;
    expect(granted.ok && granted.value.map((event) => [Object.isFrozen(event), Object.isFrozen(event.items)])).toEqual([
      [true, true],
    ]);
  });
});

describe('an item without a declaration', () => {
  const fluor = { items: { fluor: 1 } };

  it('is given by no rule of a command, and the fault tells what to do', () => {
    const message = 'it gives fluor, an item that nobody declares: name it in items';
    expect(faultOf([{ type: 'set', thing: 'x', ...fluor }])).toContain(message);
  });

  it('is given back by a rule that completes: the order was made under earlier rules', () => {
    const complete = ({ id }: { readonly id: string }) => [{ type: 'gone', thing: id, ...fluor }];
    const modules = new Modules([puppet('aa', { complete })]);
    const home = homeWith(modules, { aa: { x: { dueAtMs: 110 } } });
    expect(settle(modules, home, 200)).toMatchObject([{ type: 'aa/gone', thing: 'x', ...fluor }]);
  });

  it('of which the player has some is given and taken', () => {
    const modules = new Modules([puppet('aa')]);
    const home = homeWith(modules, {}, { fluor: 1 });
    const saying = (items: object) => {
      const command = { type: 'aa:say', events: [{ type: 'set', thing: 'x', items }] } as never;
      return judge({ modules, home, command, commandId: 'command-1', nowMs: 150 }).decision;
    };
    expect([saying({ fluor: 1 }).ok, saying({ fluor: -1 }).ok, saying({ fluor: 0, clay: 0 }).ok]).toEqual([
      true,
      true,
      true,
    ]);
    expect(saying({ fluor: 1, clay: 1 })).toMatchObject({ ok: false, error: { code: 'module/fault' } });
  });
});

it('what the engine cannot do is an error of its own name', () => {
  const error = new Impossible('item/unknown', { item: 'wood' });
  expect([error.name, error.message]).toEqual(['Impossible', 'item/unknown {"item":"wood"}']);
});
