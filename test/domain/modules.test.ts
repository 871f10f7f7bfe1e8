import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fold } from '../../server/domain/evolve.ts';
import { Modules } from '../../server/domain/modules.ts';
import { openAccount, openHome, shownHome } from '../../server/domain/open-home.ts';
import { readCommand, readQuoted } from '../../server/domain/read-command.ts';
import type { HomeEvent } from '../../shared/event.ts';
import { newHome } from '../../shared/home.ts';
import type { AnyModule } from '../../shared/module/module.ts';
import { homeWith, puppet } from '../support/modules/puppet.ts';

const wire = { messages: 'home', events: '', timer: 'meal', thing: 'petId', run: 'mealId', ids: 'p' } as const;
const modulesOf = (...all: readonly AnyModule[]) => new Modules(all);

describe('modules', () => {
  it('stand in the order of their names', () => {
    const modules = modulesOf(puppet('bb'), puppet('cc'), puppet('aa'));
    expect(modules.all.map(({ name }) => name)).toEqual(['aa', 'bb', 'cc']);
    expect(modules.retired).toEqual([]);
  });

  it('have names made of their own where the contract gives none', () => {
    const [module] = modulesOf(puppet('aa', { items: undefined })).all;
    expect(module).toMatchObject({ version: 1, maxThings: 1000, items: [], serverOnly: [], initial: {} });
    expect(module).toMatchObject({ eventPrefix: 'aa/', messagePrefix: 'aa', timerKind: 'aa', hasOwnRuns: false });
    expect(module).toMatchObject({ thingField: 'thing', runField: 'run', idPrefix: 'a' });
    expect([...(module?.events.keys() ?? [])]).toEqual(['set', 'gone']);
  });

  it('have the older names that the contract gives', () => {
    const given = { wire, version: 3, maxThings: 7, serverOnly: ['say'] };
    const [module] = modulesOf(puppet('aa', given)).all;
    expect(module).toMatchObject({ version: 3, maxThings: 7, items: ['wood', 'gold'], serverOnly: ['say'] });
    expect(module).toMatchObject({ eventPrefix: '', messagePrefix: 'home', timerKind: 'meal', hasOwnRuns: true });
    expect(module).toMatchObject({ thingField: 'petId', runField: 'mealId', idPrefix: 'p' });
  });

  it('are found by name, command, event, kind of timers and item', () => {
    const modules = modulesOf(puppet('aa', { wire }), puppet('bb', { items: ['iron'], serverOnly: ['say'] }));
    const [aa, bb] = modules.all;
    expect([modules.named('aa'), modules.named('bb'), modules.named('cc')]).toEqual([aa, bb, undefined]);
    expect(modules.ofCommand('home:say')).toEqual({ module: aa, own: 'say' });
    expect(modules.ofCommand('aa:say')).toBeUndefined();
    expect(modules.ofEvent('gone')).toEqual({ module: aa, own: 'gone' });
    expect(modules.ofEvent('bb/gone')).toEqual({ module: bb, own: 'gone' });
    expect([modules.ofTimer('meal'), modules.ofTimer('bb'), modules.ofTimer('aa')]).toEqual([aa, bb, undefined]);
    expect(['wood', 'iron', 'clay'].map((item) => modules.uses(item))).toEqual([true, true, false]);
    expect(modules.oldest).toBe(aa);
    expect(modulesOf(puppet('bb')).oldest).toBeUndefined();
    expect(modules.playerCommands).toEqual(['home:say']);
    expect([...modules.commandModules]).toEqual([
      ['home:say', 'aa'],
      ['bb:say', 'bb'],
      ['home:grant', 'home'],
      ['home:take', 'home'],
    ]);
  });

  it('use any item where the game has an inventory of its own', () => {
    const any = new Modules([puppet('aa')], [], 'any');
    expect([any.uses('clay'), any.knows('clay')]).toEqual([true, true]);
    const listed = new Modules([puppet('aa')], [], ['clay']);
    expect(['clay', 'wood', 'iron'].map((item) => listed.uses(item))).toEqual([true, true, false]);
  });

  it('are configurable where they have a config, as the start gave them', () => {
    const given = puppet('bb', { config: z.object({}), given: { config: {}, json: {} } });
    const modules = modulesOf(puppet('aa'), given);
    const rules = { number: 4, configs: new Map(), versions: new Map([['bb', 3]]), items: [] };
    for (const of of [modules, modules.by(rules)]) expect(of.configurable).toEqual([given]);
    expect(modules.by(rules).all.map(({ rulesVersion }) => rulesVersion)).toEqual([0, 3]);
  });

  it('name their items by their config; what is no list of texts is a fault', () => {
    const by = (items: (config: unknown) => unknown) => () =>
      modulesOf(puppet('aa', { items, config: z.object({}), given: { config: ['iron'], json: {} } }));
    expect(by((config) => config)().all[0]?.items).toEqual(['iron']);
    for (const wrong of [7, [7], ['iron', 7], 'iron', undefined]) {
      expect(by(() => wrong)).toThrow('items of the module aa: TypeError: what it returns is no array of texts');
    }
  });

  it('know no item __proto__, which no stock can have', () => {
    for (const modules of [modulesOf(puppet('aa', { items: ['__proto__'] })), new Modules([], [], 'any')]) {
      expect([modules.uses('__proto__'), modules.knows('__proto__')]).toEqual([false, false]);
    }
  });

  it('that were taken out for good still have timers and events', () => {
    const modules = new Modules([puppet('aa')], ['old', 'older']);
    expect(modules.retired).toEqual(['old', 'older']);
    expect(modules.timerKinds).toEqual(['aa', 'old', 'older']);
    const ofType = (type: string) => modules.retiredOf(type, ['aa']);
    expect(['old/gone', 'older/gone', 'aa/gone', 'oldest/gone', '/gone'].map(ofType)).toEqual([
      'old',
      'older',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['that opened the home', ['aa', 'older'], 'older'],
    ['listed first, where an older log names none', ['aa'], 'old'],
    ['unknown, where another module of the home is missing', ['aa', 'older', 'bb'], undefined],
  ])('wrote events without a prefix if none of them is here: the retired one %s', (_, opened, writer) => {
    expect(new Modules([puppet('aa')], ['old', 'older']).retiredOf('gone', opened)).toBe(writer);
    expect(new Modules([puppet('aa')]).retiredOf('gone', opened)).toBeUndefined();
    expect(new Modules([puppet('aa', { wire })], ['old', 'older']).retiredOf('gone', opened)).toBeUndefined();
  });

  it.each([
    ['names', [puppet('aa'), puppet('bb'), puppet('aa')], [], 'modules named aa are two'],
    ['events', [puppet('aa', { wire }), puppet('bb', { wire: { events: '' } })], [], 'modules.bb has the event set'],
    [
      'events with the engine',
      [puppet('aa', { wire: { events: '' }, events: { 'thing-arrived': z.object({}) } })],
      [],
      'modules.aa has the event thing-arrived',
    ],
    [
      'commands',
      [puppet('aa', { wire: { messages: 'town' } }), puppet('bb', { wire: { messages: 'town' } })],
      [],
      'modules.bb has the command town:say',
    ],
    ['timers', [puppet('aa'), puppet('bb', { wire: { timer: 'aa' } })], [], 'the timer kind aa'],
    ['timers with a retired one', [puppet('bb', { wire: { timer: 'old' } })], ['old'], 'the timer kind old'],
    ['names with a retired one', [puppet('aa')], ['old', 'aa'], 'retired module aa is in use'],
  ] as const)('are refused when their %s meet', (_, all, retired, why) => {
    expect(() => new Modules(all, retired)).toThrow(TypeError);
    expect(() => new Modules(all, retired)).toThrow(why);
  });

  it.each([
    [[puppet('aa'), puppet('aa')], [], 'modules named aa', 'use each name once'],
    [[puppet('aa')], ['aa'], 'retired module aa', 'take it out of one of the lists'],
    [[puppet('aa', { wire }), puppet('bb', { wire: { messages: 'home' } })], [], 'modules.bb', 'rename it'],
  ])('say what to do where names meet', (all, retired, path, remedy) => {
    const faults = [expect.objectContaining({ path, remedy, code: 'options/invalid' })];
    expect(() => new Modules(all, retired)).toThrow(expect.objectContaining({ faults }));
    expect(() => new Modules(all, retired)).toThrow(/^Kibble/);
  });

  it.each(['grant', 'take', 'quote', 'sync', 'time', 'events', 'things', 'reply', 'rejected'])(
    'are refused when one has the engine’s own message %s',
    (own) => {
      const commands = { [own]: z.object({}) };
      expect(() => modulesOf(puppet('aa', { wire: { messages: 'home' }, commands }))).toThrow(
        `the command home:${own}`,
      );
      expect(() => modulesOf(puppet('aa', { commands }))).not.toThrow();
    },
  );
});

describe('a command is read', () => {
  const commands = { dig: z.object({ depth: z.int() }), hide: z.object({}) };
  const modules = modulesOf(puppet('aa', { commands, serverOnly: ['hide'] }));
  const commandId = 'command-1';

  it('with the key of its sender', () => {
    expect(readCommand(modules, 'aa:dig', { depth: 7, commandId })).toEqual({
      ok: true,
      value: { commandId, command: { type: 'aa:dig', depth: 7 } },
    });
    const given = { items: { wood: 1 }, reason: 'gift' };
    for (const type of ['home:grant', 'home:take']) {
      expect(readCommand(modules, type, { ...given, commandId })).toMatchObject({
        ok: true,
        value: { command: given },
      });
    }
  });

  it.each([
    ['of no module', 'aa:fly', { commandId }, 'type', 'is no command: "aa:fly"'],
    ['that only the engine has', 'home:melt', { commandId }, 'type', 'is no command'],
    ['with a wrong field', 'aa:dig', { depth: 'deep', commandId }, 'depth', 'expected number'],
    ['with a field too many', 'aa:dig', { depth: 7, width: 7, commandId }, '', 'fields that are not known'],
    ['without a key', 'aa:dig', { depth: 7 }, 'commandId', 'expected string'],
    ['with a key too short', 'aa:dig', { depth: 7, commandId: 'c' }, 'commandId', 'Too small'],
    ['that is nothing', 'aa:hide', undefined, '', 'expected object'],
    ['that is null', 'aa:hide', null, '', 'expected object'],
    ['that is a list', 'aa:hide', [], '', 'expected object'],
    ['that is a word', 'aa:hide', 'please', '', 'expected object'],
  ])('and refused, with the place of the fault, when it is one %s', (_, type, payload, path, message) => {
    const error = {
      code: 'command/invalid',
      params: { faults: [{ path, message: expect.stringContaining(message) }] },
    };
    expect(readCommand(modules, type, payload)).toMatchObject({ ok: false, error });
  });

  it('for a quote, where its key may be missing and it has to be a player’s', () => {
    const value = { type: 'aa:dig', depth: 7 };
    expect(readQuoted(modules, { command: 'aa:dig', payload: { depth: 7 } })).toEqual({ ok: true, value });
    expect(readQuoted(modules, { command: 'aa:dig', payload: { depth: 7, commandId } })).toEqual({ ok: true, value });
    const noCommand = {
      code: 'command/invalid',
      params: { faults: [{ path: 'command', message: expect.stringContaining('is no command') }] },
    };
    for (const command of ['aa:hide', 'home:grant', 'aa:fly']) {
      expect(readQuoted(modules, { command, payload: {} })).toMatchObject({ ok: false, error: noCommand });
    }
    expect(readQuoted(modules, { payload: {} })).toMatchObject({
      error: { params: { faults: [{ path: 'command' }] } },
    });
    expect(readQuoted(modules, { command: 'aa:dig', payload: {} })).toMatchObject({
      error: { params: { faults: [{ path: 'depth' }] } },
    });
  });
});

describe('what a player begins with', () => {
  const giving = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
    puppet(name, {
      starter: () => ({ wood: 2 }),
      open: ({ items }: { items: Readonly<Record<string, number>> }) => [
        { type: 'set', thing: 'hut', note: `${items.wood}` },
      ],
      ...more,
    });
  const bodies = (events: readonly HomeEvent[]) => events.map(({ v: _, seq: _seq, ...body }) => body);

  it('is the first event of a log, and what each module opens with it', () => {
    const modules = modulesOf(giving('aa', { wire }), giving('bb'), puppet('cc'));
    expect(bodies(openHome(modules, newHome('anna'), { nowMs: 7 }))).toEqual([
      { at: 7, type: 'items-granted', items: { wood: 4 }, reason: 'starter', opened: ['aa', 'bb', 'cc'] },
      { at: 7, type: 'set', petId: 'hut', note: '4' },
      { at: 7, type: 'bb/set', thing: 'hut', note: '4' },
    ]);
  });

  it('is for a guest’s account what the guest has opened, without items or `open`; the rest opens later', () => {
    const modules = modulesOf(giving('aa', { wire }), giving('bb'), puppet('cc'));
    const guest = { ...newHome('guest'), opened: ['aa', 'cc'] };
    const events = openAccount(modules, newHome('anna'), guest, 7);
    const first = { at: 7, type: 'items-granted', items: {}, reason: 'starter', opened: ['aa', 'cc'] };
    expect(bodies(events)).toEqual([first]);
    const account = fold(modules, newHome('anna'), events);
    expect(bodies(openHome(modules, account, { nowMs: 8 }))).toEqual([
      { at: 8, type: 'module-opened', module: 'bb', items: { wood: 2 } },
      { at: 8, type: 'bb/set', thing: 'hut', note: '2' },
    ]);
    const older = { ...homeWith(modules, {}), opened: ['aa'] };
    expect(bodies(openAccount(modules, older, { ...guest, opened: ['bb'] }, 150))).toEqual([
      { at: 150, type: 'module-opened', module: 'bb', items: { wood: 2 } },
    ]);
  });

  it.each([
    ['the oldest', [giving('aa', { wire })]],
    ['another', [giving('aa')]],
  ])('names the module of a game of %s alone, and the fold knows it whatever modules come later', (_, alone) => {
    const modules = modulesOf(...alone);
    const events = openHome(modules, newHome('anna'), { nowMs: 7 });
    const first = { at: 7, type: 'items-granted', items: { wood: 2 }, reason: 'starter', opened: ['aa'] };
    expect(bodies(events)[0]).toEqual(first);
    const home = fold(modules, newHome('anna'), events);
    expect(home).toMatchObject({ opened: ['aa'], items: { wood: 2 }, seq: 2, lastAtMs: 7 });
    expect(openHome(modules, home, { nowMs: 8 })).toEqual([]);
    const later = modulesOf(...alone, giving('bb', alone[0]?.wire ? {} : { wire }));
    expect(fold(later, newHome('anna'), events)).toEqual(home);
  });

  it('names only the modules besides the oldest in an older log', () => {
    const modules = modulesOf(giving('aa', { wire }), giving('bb'));
    const first = { v: 1, seq: 1, at: 7, type: 'items-granted', items: {}, reason: 'starter' };
    expect(fold(modules, newHome('anna'), [first]).opened).toEqual(['aa']);
    expect(fold(modules, newHome('anna'), [{ ...first, modules: ['bb'] }]).opened).toEqual(['aa', 'bb']);
    expect(fold(modulesOf(giving('bb')), newHome('anna'), [{ ...first, modules: ['bb'] }]).opened).toEqual(['bb']);
  });

  it('comes once for a player from before the module, whatever else is given later', () => {
    const before = modulesOf(puppet('aa'));
    const after = modulesOf(puppet('aa'), giving('bb'), puppet('cc'));
    const home = homeWith(before, {});
    const events = openHome(after, home, { nowMs: 150 });
    expect(bodies(events)).toEqual([
      { at: 150, type: 'module-opened', module: 'bb', items: { wood: 2 } },
      { at: 150, type: 'module-opened', module: 'cc' },
      { at: 150, type: 'bb/set', thing: 'hut', note: '2' },
    ]);
    const opened = fold(after, home, events);
    expect(opened.opened).toEqual(['aa', 'bb', 'cc']);
    expect(openHome(after, opened, { nowMs: 160 })).toEqual([]);
    const gift = { v: 1, seq: 14, at: 160, type: 'items-granted', items: { wood: 1 }, reason: 'gift', modules: ['dd'] };
    expect(fold(after, opened, [gift])).toMatchObject({ opened: ['aa', 'bb', 'cc'], items: { wood: 3 } });
  });

  it('is, with a later module, what a full stock can still count', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const after = modulesOf(puppet('aa'), giving('bb'), puppet('cc', { starter: () => ({ wood: 3, coal: 4 }) }));
    const home = { ...homeWith(modulesOf(puppet('aa')), {}), items: { wood: most - 1 } };
    expect(bodies(openHome(after, home, { nowMs: 150 }))).toEqual([
      { at: 150, type: 'module-opened', module: 'bb', items: { wood: 1 } },
      { at: 150, type: 'module-opened', module: 'cc', items: { coal: 4 } },
      { at: 150, type: 'bb/set', thing: 'hut', note: `${most}` },
    ]);
  });

  it('is shown before it comes, at the old place in the log', () => {
    const modules = modulesOf(giving('aa', { wire }));
    expect(shownHome(modules, newHome('anna'), { nowMs: 7 })).toMatchObject({
      seq: 0,
      lastAtMs: 0,
      items: { wood: 2 },
    });
    const dated = modulesOf(
      puppet('aa', { open: ({ nowMs }: { nowMs: number }) => [{ type: 'set', thing: 'x', note: `${nowMs}` }] }),
    );
    expect(shownHome(dated, newHome('anna'), { nowMs: 7 }).things).toEqual({ aa: { x: { note: '7' } } });
    const home = homeWith(modules, {});
    expect(shownHome(modules, home, { nowMs: 150 })).toBe(home);
  });
});
