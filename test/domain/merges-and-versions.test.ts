import { describe, expect, it } from 'vitest';
import { replyOf } from '../../server/domain/decide.ts';
import { evolve, fold, readThing } from '../../server/domain/evolve.ts';
import { mergeHomes } from '../../server/domain/merge.ts';
import { Modules } from '../../server/domain/modules.ts';
import type { HomeEvent } from '../../shared/event.ts';
import { type Home, type MadeMaps, newHome, type Things, withThing } from '../../shared/home.ts';
import { homeWith, type PuppetTurn, puppet } from '../support/modules/puppet.ts';

const wire = { messages: 'home', events: '', timer: 'meal', thing: 'petId', run: 'mealId', ids: 'p' } as const;
const by = { by: 'ada', reason: 'because of a test' };

describe('a guest’s home that is merged', () => {
  const arrive = ({ thing, newId }: PuppetTurn & { newId: string }) => [{ type: 'set', thing: newId, ...thing }];
  const modules = new Modules([puppet('pets', { wire, arrive }), puppet('aa', { version: 2 }), puppet('bb')]);
  const guest = {
    ...homeWith(modules, {
      pets: { 'gast~p1': { dueAtMs: 500 } },
      aa: { hall: { dueAtMs: 510 }, mill: {}, 'gast~a3': { note: 'own' }, 'anna~a4': {} },
    }),
    playerId: 'gast',
    items: { wood: 2 },
  };
  const account = homeWith(modules, { aa: { mill: { note: 'mine' } } }, { wood: 1 });
  const merged = () => mergeHomes({ modules, guest, account, commandId: 'merge-001', ...by, nowMs: 150 });
  /** Copies of maps of things in a fold of the events. */
  const copiesIn = (home: Home, events: readonly HomeEvent[]): number => {
    const made = new Set<Things>();
    let folded = home;
    for (const event of events) folded = evolve(modules, folded, event, made as unknown as MadeMaps);
    return made.size;
  };

  it('gives all its items and things, renamed where their ids are the guest’s', () => {
    expect(merged().account).toMatchObject([
      { type: 'home-received', from: 'gast', items: { wood: 2 }, ...by, seq: 11, at: 150, commandId: 'merge-001' },
      { type: 'thing-arrived', module: 'aa', thing: 'hall', version: 2, state: { dueAtMs: 510 } },
      { type: 'thing-arrived', module: 'aa', thing: 'anna~a13', state: { note: 'own' } },
      { type: 'thing-arrived', module: 'aa', thing: 'anna~a4' },
      { type: 'set', petId: 'anna~p15', dueAtMs: 500 },
    ]);
    const home = fold(modules, account, merged().account);
    expect(home.items).toEqual({ wood: 3 });
    expect(home.frozenAtMs).toBeUndefined();
    expect(home.things).toEqual({
      aa: { mill: { note: 'mine' }, hall: { dueAtMs: 510 }, 'anna~a13': { note: 'own' }, 'anna~a4': {} },
      pets: { 'anna~p15': { dueAtMs: 500 } },
    });
  });

  it('leaves behind what the account has under the same id, and says so', () => {
    expect(merged().left).toEqual([{ module: 'aa', thing: 'mill' }]);
  });

  it.each([
    ['without a rule for arrivals', {}],
    ['with one', { arrive }],
  ])('may give more things than the contract allows, %s', (_, rule) => {
    const few = new Modules([{ ...puppet('pets', rule), maxThings: 1 }]);
    const home = { ...homeWith(few, { pets: { 'gast~p1': {}, 'gast~p2': {} } }), playerId: 'gast' };
    const into = homeWith(few, { pets: { 'anna~p1': {} } });
    const { left, ...logs } = mergeHomes({
      modules: few,
      guest: home,
      account: into,
      commandId: 'merge-001',
      ...by,
      nowMs: 150,
    });
    expect(left).toEqual([]);
    expect(Object.keys(fold(few, into, logs.account).things.pets ?? {})).toHaveLength(3);
  });

  it.each([
    ['no event', () => []],
    ['nothing', () => undefined],
  ])('leaves behind what its module answers with %s', (_, silence) => {
    const silent = new Modules([puppet('pets', { arrive: silence })]);
    const home = { ...homeWith(silent, { pets: { 'gast~p1': {} } }), playerId: 'gast' };
    const { left } = mergeHomes({ modules: silent, guest: home, account, commandId: 'merge-001', ...by, nowMs: 150 });
    expect(left).toEqual([{ module: 'pets', thing: 'gast~p1' }]);
  });

  it('leaves behind also what rests there already', () => {
    const resting = [{ module: 'old', thing: 'hut' }];
    const { left, guest: log } = mergeHomes({
      ...{ modules, guest, account, resting, commandId: 'merge-001' },
      ...{ ...by, nowMs: 150 },
    });
    expect(left).toEqual([...resting, { module: 'aa', thing: 'mill' }]);
    expect(log).toMatchObject([{ left }]);
  });

  it('is closed with only that in it, and knows what its things are called now', () => {
    const [event] = merged().guest;
    expect(merged().guest).toHaveLength(1);
    expect(event).toEqual({
      v: 1,
      seq: 11,
      at: 150,
      commandId: 'merge-001',
      type: 'home-merged',
      into: 'anna',
      items: { wood: -2 },
      ...by,
      left: [{ module: 'aa', thing: 'mill' }],
      aa: [
        { thing: 'hall', becomes: 'hall' },
        { thing: 'gast~a3', becomes: 'anna~a13' },
        { thing: 'anna~a4', becomes: 'anna~a4' },
      ],
      pets: [{ petId: 'gast~p1', becomes: 'anna~p15' }],
    });
    expect(fold(modules, guest, merged().guest)).toMatchObject({ items: {}, frozenAtMs: 150 });
    expect(fold(modules, guest, merged().guest).things).toEqual({ aa: { mill: {} } });
    const { left: _, ...older } = event as HomeEvent;
    expect(evolve(modules, guest, older as HomeEvent).things).toEqual({});
  });

  it('is folded with one copy of each map of things, however many things arrive or stay', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, place) => [`thing${place}`, {}]));
    const copiesOf = (into: Home) => {
      const home = { ...homeWith(modules, { aa: many }), playerId: 'gast' };
      const logs = mergeHomes({ modules, guest: home, account: into, commandId: 'merge-001', ...by, nowMs: 150 });
      return { arriving: copiesIn(into, logs.account), staying: copiesIn(home, logs.guest) };
    };
    expect(copiesOf(homeWith(modules, { aa: { mill: {} } }))).toEqual({ arriving: 1, staying: 0 });
    expect(copiesOf(homeWith(modules, { aa: many }))).toEqual({ arriving: 0, staying: 1 });
  });

  it('names the oldest module even where it has nothing, and no other', () => {
    const empty = { ...homeWith(modules, {}), playerId: 'gast' };
    const { guest: log, left } = mergeHomes({
      modules,
      guest: empty,
      account,
      commandId: 'merge-001',
      ...by,
      nowMs: 150,
    });
    expect(log).toMatchObject([{ pets: [] }]);
    expect([Object.hasOwn(log[0] ?? {}, 'aa'), Object.hasOwn(log[0] ?? {}, 'left'), left]).toEqual([false, false, []]);
  });

  it.each([
    [
      'fails',
      () => {
        throw new Error('torn');
      },
    ],
    ['returns what its contract does not know', () => [{ type: 'sung', thing: 'gast~p1' }]],
    ['takes what is not there', () => [{ type: 'set', thing: 'x', items: { wood: -9 } }]],
  ])('names the rule and the thing where the arrival %s', (_, broken) => {
    const failing = new Modules([puppet('pets', { arrive: broken })]);
    const home = { ...homeWith(failing, { pets: { 'gast~p1': {} } }), playerId: 'gast' };
    const merging = () =>
      mergeHomes({ modules: failing, guest: home, account, commandId: 'merge-001', ...by, nowMs: 150 });
    const place = { module: 'pets', thing: 'gast~p1', rule: 'arrive' };
    expect(merging).toThrow(expect.objectContaining({ name: 'ModuleFault', ...place }));
  });
});

describe('events and things of other versions', () => {
  const older = {
    thing: (state: object, version: number) => ({ ...state, note: `thing of ${version}` }),
    event: (event: HomeEvent, own: string, version: number) => ({ ...event, note: `${own} of ${version}` }),
  };
  const modules = new Modules([puppet('aa', { version: 3, older })], ['old']);
  const strict = new Modules([puppet('aa', { version: 3 })]);
  const set = (v: number): HomeEvent => ({ v, seq: 1, at: 7, type: 'aa/set', thing: 'x', note: 'new' });
  const arrived = (version: number, module = 'aa'): HomeEvent => {
    return { v: 1, seq: 1, at: 7, type: 'thing-arrived', module, thing: 'x', version, state: { note: 'new' } };
  };
  const home = newHome('anna');

  it('are read by what the module says of older ones', () => {
    const notes = (event: HomeEvent) => evolve(modules, home, event).things;
    expect(notes(set(3))).toEqual({ aa: { x: { note: 'new' } } });
    expect(notes(set(2))).toEqual({ aa: { x: { note: 'set of 2' } } });
    expect(notes(arrived(3))).toEqual({ aa: { x: { note: 'new' } } });
    expect(notes(arrived(1))).toEqual({ aa: { x: { note: 'thing of 1' } } });
    const [module] = modules.all;
    expect(module && readThing(module, { dueAtMs: 7 }, 2)).toEqual({ dueAtMs: 7, note: 'thing of 2' });
  });

  it('are a fault of the contract where it says nothing of older ones', () => {
    expect(() => evolve(strict, home, set(2))).toThrow('aa is at version 3: it needs older.event for 2');
    expect(() => evolve(strict, home, arrived(2))).toThrow('aa is at version 3: it needs older.thing for 2');
  });

  it('are left to others where they are newer, or of a module that is not here', () => {
    const missing = (event: HomeEvent) => () => evolve(modules, home, event);
    expect(missing(set(4))).toThrow(/aa wrote version 4, here is 3: deploy the release that has version 4$/);
    expect(missing(arrived(4))).toThrow('aa wrote version 4, here is 3');
    expect(missing(arrived(1, 'bb'))).toThrow('the module bb is not here: deploy it, or list it under retired');
    const strange = { ...set(1), type: 'bb/set' };
    expect(missing(strange)).toThrow('bb/set has no module here that knows the event');
    expect(missing(strange)).toThrow(expect.objectContaining({ name: 'ModuleMissing', code: 'module/missing' }));
    expect(missing(arrived(1, 'bb'))).toThrow(expect.objectContaining({ module: 'bb' }));
  });

  it('say nothing any more when their module was taken out for good', () => {
    const before = { ...home, things: withThing({}, { module: 'old', id: 'x' }, {}) };
    for (const event of [
      { ...set(9), type: 'old/set', items: { wood: 1 } },
      { ...arrived(9, 'old'), items: { wood: 1 } },
    ]) {
      expect(evolve(modules, before, event)).toEqual({ ...before, seq: 1, lastAtMs: 7, items: { wood: 1 } });
    }
  });
});

describe('the reply to a command', () => {
  const reply = (events: readonly HomeEvent[]) => ({ told: events.map(({ type, thing }) => `${type} ${thing}`) });
  const modules = new Modules([puppet('pets', { wire, reply }), puppet('aa')]);
  const at = (seq: number, type: string, more: object): HomeEvent => ({ v: 1, seq, at: 100 + seq, type, ...more });

  it('is made of its events, those of its own module by their own names', () => {
    const events = [
      at(11, 'set', { petId: 'x', commandId: 'command-1' }),
      at(12, 'aa/set', { thing: 'y' }),
      at(13, 'gone', { petId: 'x' }),
    ];
    expect(replyOf(modules, events)).toEqual({ told: ['set x', 'gone x'], seq: 13, nowMs: 111, events });
  });

  it('has nothing more where the module says nothing, or the engine did it', () => {
    for (const events of [
      [at(11, 'aa/set', { thing: 'y' })],
      [at(11, 'items-granted', { items: {}, reason: 'gift' })],
    ]) {
      expect(replyOf(modules, events)).toEqual({ seq: 11, nowMs: 111, events });
    }
    expect(() => replyOf(modules, [])).toThrow('at least one event');
  });
});
