import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../server/domain/decide.ts';
import { subjectOf, thingOfSubject, waitingTimeOf } from '../../server/domain/due-of.ts';
import { Modules } from '../../server/domain/modules.ts';
import type { OperatorCommand } from '../../server/domain/scene.ts';
import type { Command } from '../../shared/protocol.ts';
import { homeTimers } from '../../testing/pets-engine.ts';
import { homeWith, type PuppetTurn, puppet } from '../support/modules/puppet.ts';

const wire = { messages: 'home', events: '', timer: 'meal', thing: 'petId', run: 'mealId', ids: 'p' } as const;
const ownRun = { run: ({ note }: { note?: string }, id: string) => note ?? id };
const by = { by: 'ada', reason: 'because of a test' };
const oldest = new Modules([puppet('pets', { wire, ...ownRun }), puppet('aa'), puppet('bb')]);

describe('the timers of a home', () => {
  const home = homeWith(oldest, {
    aa: { hall: { dueAtMs: 150 }, rests: {}, waits: { sinceMs: 3 } },
    pets: { 'anna~p1': { dueAtMs: 140 } },
  });
  const hall = { kind: 'aa', subject: 'anna~hall', owner: 'anna', dueAtMs: 150 };
  const pet = { kind: 'meal', subject: 'anna~anna~p1', owner: 'anna', dueAtMs: 140 };

  it('are one for each thing that is due, of the kind of its module, named after the player and the thing', () => {
    expect(homeTimers(oldest, home)).toEqual([hall, pet]);
    expect(subjectOf('anna', 'hall')).toBe('anna~hall');
    expect(thingOfSubject('anna', 'anna~hall')).toBe('hall');
    expect(thingOfSubject('anna', 'annabel~hall')).toBeUndefined();
    expect(thingOfSubject('bob', 'anna~hall')).toBeUndefined();
  });

  it('wait for nothing in modules without such rules', () => {
    const rules = { dueAtMs: undefined, waitingSinceMs: undefined };
    const [module] = new Modules([puppet('aa', rules)]).all;
    if (!module) throw new Error('no module');
    expect(waitingTimeOf(module, 'x', { sinceMs: 3 })).toBeUndefined();
    expect(homeTimers(new Modules([puppet('aa', rules)]), home)).toEqual([]);
    const [waiting] = new Modules([puppet('aa')]).all;
    expect(waiting && waitingTimeOf(waiting, 'x', { sinceMs: 3 })).toBe(3);
    const torn = () => {
      throw new Error('torn');
    };
    const [failing] = new Modules([puppet('aa', { waitingSinceMs: torn })]).all;
    expect(() => failing && waitingTimeOf(failing, 'x', {})).toThrow('waitingSinceMs of aa x: Error: torn');
  });
});

describe('an operator', () => {
  const shift = ({ id, thing, byMs, run, by: who, nowMs }: PuppetTurn & { byMs: number; run?: string; by: string }) => [
    { type: 'set', thing: id, dueAtMs: Math.max(nowMs, (thing.dueAtMs ?? 0) + byMs), note: `${run} by ${who}` },
  ];
  const stop = ({ id }: PuppetTurn) => [{ type: 'gone', thing: id }];
  const modules = new Modules([
    puppet('aa', { shift, stop, complete: undefined }),
    puppet('pets', { wire, ...ownRun, shift }),
    puppet('zz'),
  ]);
  const home = homeWith(modules, {
    aa: { hall: { dueAtMs: 550 }, rests: {} },
    pets: { 'anna~p1': { dueAtMs: 540, note: 'meal-1' } },
    zz: { x: { dueAtMs: 530 } },
  });
  const act = (command: OperatorCommand | Command, at = home) =>
    judge({ modules, home: at, command, commandId: 'operator-1', nowMs: 150 }).decision;

  it('shifts a thing of any module that can be shifted, and is told of one that is not there', () => {
    const decision = act({ type: 'ops:shift', module: 'aa', thing: 'hall', byMs: -7, ...by });
    expect(decision).toMatchObject({
      ok: true,
      value: [
        { type: 'aa/set', thing: 'hall', at: 150, dueAtMs: 543, note: 'undefined by ada', commandId: 'operator-1' },
      ],
    });
    const refused = (module: string, thing: string) =>
      act({ type: 'ops:shift', module, thing, byMs: 1, ...by }) as { readonly error?: object };
    expect(refused('cc', 'hall').error).toMatchObject({ code: 'module/unknown', params: { module: 'cc' } });
    expect(refused('aa', 'mill').error).toMatchObject({
      code: 'thing/unknown',
      params: { module: 'aa', thing: 'mill' },
    });
    expect(refused('aa', 'constructor').error).toMatchObject({ code: 'thing/unknown' });
    expect(refused('zz', 'x').error).toMatchObject({
      code: 'module/not-offered',
      params: { module: 'zz', rule: 'shift' },
    });
  });

  it('stops one where the module lets it', () => {
    expect(act({ type: 'ops:stop', module: 'aa', thing: 'hall', ...by })).toMatchObject({
      ok: true,
      value: [{ type: 'aa/gone', thing: 'hall' }],
    });
    expect(act({ type: 'ops:stop', module: 'pets', thing: 'anna~p1', ...by })).toMatchObject({
      ok: false,
      error: { code: 'module/not-offered', params: { module: 'pets', rule: 'stop' } },
    });
  });

  const torn = () => {
    throw new Error('torn');
  };
  it.each([
    ['shift', torn],
    ['stop', torn],
    ['shift', () => []],
    ['stop', () => []],
  ])('is told of a %s that fails, which says whose rule it was', (own, rule) => {
    const failing = new Modules([puppet('aa', { [own]: rule })]);
    const command = { type: `ops:${own}`, module: 'aa', thing: 'x', byMs: 1, ...by };
    const asked = { modules: failing, home: homeWith(failing, { aa: { x: {} } }), command, commandId: 'operator-1' };
    expect(judge({ ...asked, nowMs: 150 }).decision).toMatchObject({
      error: { code: 'module/fault', params: { module: 'aa' } },
      fault: { module: 'aa', rule: own },
    });
  });

  it('acts on nothing whose rules this process cannot read', () => {
    const one = puppet('aa', { config: z.object({}), given: { config: {}, json: {} }, shift, stop });
    const unread = { number: 1, configs: new Map([['aa', undefined]]), versions: new Map(), items: [] };
    const older = new Modules([one]).by(unread);
    const command = { type: 'ops:stop', module: 'aa', thing: 'x', ...by } as const;
    const asked = { modules: older, home: homeWith(older, { aa: { x: {} } }), command, commandId: 'operator-1' };
    expect(judge({ ...asked, nowMs: 150 }).decision).toMatchObject({
      ok: false,
      error: { code: 'server/unavailable' },
    });
  });

  it('names a run as its timer is named; the module gets its own name for it', () => {
    const noteOf = (module: string, thing: string, run: string) => {
      const decision = act({ type: 'ops:shift', module, thing, run, byMs: 1, ...by });
      return decision.ok && decision.value[0]?.note;
    };
    expect(noteOf('aa', 'hall', 'anna~hall')).toBe('hall by ada');
    expect(noteOf('aa', 'hall', 'anna~mill')).toBe('anna~mill by ada');
    expect(noteOf('pets', 'anna~p1', 'meal-1')).toBe('meal-1 by ada');
    expect(noteOf('pets', 'anna~p1', 'meal-2')).toBe('meal-2 by ada');
  });

  it('brings everything that is due nearer, at most to now, as one command', () => {
    const decision = act({ type: 'ops:advance', byMs: 30, ...by });
    expect(decision).toMatchObject({
      ok: true,
      value: [
        { type: 'aa/set', thing: 'hall', dueAtMs: 520, seq: 11, commandId: 'operator-1' },
        { type: 'set', petId: 'anna~p1', dueAtMs: 510, seq: 12 },
      ],
      home: { seq: 12 },
    });
    expect(decision.ok && decision.value.map(({ commandId }) => commandId)).toEqual(['operator-1', undefined]);
    expect(act({ type: 'ops:advance', byMs: 30, ...by }, homeWith(modules, { aa: { rests: {} } }))).toMatchObject({
      ok: false,
      error: { code: 'thing/idle' },
    });
  });

  it('is refused as a whole where one of the things refuses', () => {
    const refusing = new Modules([
      puppet('aa', { shift }),
      puppet('bb', { shift: () => ({ code: 'bb/no', params: {} }) }),
    ]);
    const both = homeWith(refusing, { aa: { x: { dueAtMs: 540 } }, bb: { y: { dueAtMs: 540 } } });
    const command = { type: 'ops:advance', byMs: 30, ...by } as const;
    expect(judge({ modules: refusing, home: both, command, commandId: 'operator-1', nowMs: 150 })).toMatchObject({
      decision: { ok: false, error: { code: 'bb/no' } },
      home: both,
    });
  });

  it('freezes a player and lets go again, once each', () => {
    const frozen = act({ type: 'ops:freeze', ...by });
    expect(frozen).toMatchObject({ value: [{ type: 'player-frozen', ...by, commandId: 'operator-1' }] });
    const after = frozen.ok ? frozen.home : home;
    expect(after.frozenAtMs).toBe(150);
    expect(act({ type: 'ops:freeze', ...by }, after)).toMatchObject({ error: { code: 'player/frozen' } });
    const free = act({ type: 'ops:unfreeze', ...by }, after);
    expect(free).toMatchObject({ value: [{ type: 'player-unfrozen', ...by }] });
    expect(free.ok && 'frozenAtMs' in free.home).toBe(false);
    expect(act({ type: 'ops:unfreeze', ...by })).toMatchObject({ error: { code: 'player/not-frozen' } });
  });

  it('leaves a frozen player only what the game’s own server says', () => {
    const own = new Modules([puppet('aa', { serverOnly: ['say'] }), puppet('bb')]);
    const frozen = { ...homeWith(own, {}), frozenAtMs: 120 };
    const say = (type: string) =>
      judge({
        modules: own,
        home: frozen,
        command: { type, events: [{ type: 'set', thing: 'x' }] },
        commandId: 'command-1',
        nowMs: 150,
      }).decision;
    expect(say('aa:say')).toMatchObject({ ok: true });
    expect(say('bb:say')).toMatchObject({ ok: false, error: { code: 'player/frozen', params: { frozenAt: 120 } } });
    expect(say('cc:say')).toMatchObject({
      error: { code: 'command/invalid', params: { faults: [{ path: 'type', message: 'is no command' }] } },
    });
  });

  it('gives and takes items that a module uses, or that are there', () => {
    const give = (type: string, items: Record<string, number>) =>
      act({ type, items, reason: 'gift' }, { ...home, items: { wood: 2, relic: 1 } });
    expect(give('home:grant', { wood: 3, relic: 1 })).toMatchObject({
      value: [{ type: 'items-granted', items: { wood: 3, relic: 1 }, reason: 'gift', commandId: 'operator-1' }],
      home: { items: { wood: 5, relic: 2 } },
    });
    expect(give('home:take', { wood: 2, relic: 1 })).toMatchObject({ ok: true, home: { items: {} } });
    expect(give('home:take', { wood: 3 })).toMatchObject({
      error: { code: 'item/out-of-stock', params: { item: 'wood', have: 2, need: 3 } },
    });
    expect(give('home:grant', { clay: 1 })).toMatchObject({
      error: { code: 'item/unknown', params: { item: 'clay' } },
    });
    expect(give('home:grant', { gold: 1 })).toMatchObject({ ok: true });
  });
});
