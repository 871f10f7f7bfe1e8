import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../server/domain/decide.ts';
import { ModuleFault } from '../../server/domain/module-fault.ts';
import { Modules } from '../../server/domain/modules.ts';
import { readCommand } from '../../server/domain/read-command.ts';
import { settle, settleSome } from '../../server/domain/settle.ts';
import { type Home, newHome } from '../../shared/home.ts';
import { type AnyModule, defineModule } from '../../shared/module/module.ts';

interface Thing {
  list: number[];
  dueAtMs?: number;
  sinceMs?: number;
}
/** Rules that may write wherever JavaScript lets them. */
// biome-ignore lint/suspicious/noExplicitAny: the types forbid each of these writes, and JavaScript does not
type Wild = Record<string, any>;

const made = (scene: Wild, more: object = {}) => [{ type: 'made', thing: scene.newId ?? scene.id, n: [1], ...more }];

const modulesOf = (rules: Wild): Modules => {
  const contract = {
    name: 'mod',
    thing: z.any(),
    initial: { list: [] },
    items: ['gold'],
    config: z.strictObject({ price: z.int(), levels: z.array(z.int()) }),
    events: { made: z.object({ n: z.any() }) },
    commands: { go: z.object({ bag: z.any().optional() }) },
  };
  const own = {
    decide: { go: (scene: Wild) => made(scene) },
    evolve: {
      made: (thing: Thing, event: Wild) => ({ ...thing, list: [...thing.list, ...event.n], dueAtMs: undefined }),
    },
    dueAtMs: (thing: Thing) => thing.dueAtMs,
    complete: (turn: Wild) => made(turn),
    waitingSinceMs: (thing: Thing) => thing.sinceMs,
    goOn: () => [],
    ...rules,
  };
  const module = (defineModule as (given: object) => { rules(own: object): (config: object) => AnyModule })(
    contract,
  ).rules(own)({ price: 1, levels: [1, 2] });
  return new Modules([module]);
};

/** As it comes from the database: nothing is frozen. */
const homeWith = (things: Readonly<Record<string, Thing>> = {}): Home => ({
  ...newHome('ann'),
  seq: 7,
  lastAtMs: 50,
  opened: ['mod'],
  items: { gold: 5 },
  things: { mod: structuredClone(things) },
  counters: { mod: { times: 3 } },
});

const go = (rules: Wild, home = homeWith({ hall: { list: [9] } })) =>
  judge({ modules: modulesOf(rules), home, command: { type: 'mod:go' }, commandId: 'c', nowMs: 100 } as never);

describe('a rule that writes into what it is given is a fault, and nothing is kept:', () => {
  const writes: Readonly<Record<string, (scene: Wild) => unknown>> = {
    'the stock': (scene) => (scene.items.gold = 1e9),
    'an item that is not there': (scene) => (scene.items.wood = 1),
    'a counter': (scene) => (scene.counters.times = 0),
    'a thing of the list': (scene) => (scene.things.hall = { list: [] }),
    'a thing more': (scene) => (scene.things.tower = { list: [] }),
    'a thing less': (scene) => delete scene.things.hall,
    'the state of a thing': (scene) => (scene.things.hall.dueAtMs = 1),
    'a list in a thing': (scene) => scene.things.hall.list.push(1),
    'the config': (scene) => (scene.config.price = 999),
    'a list in the config': (scene) => scene.config.levels.sort(),
  };

  it.each(Object.entries(writes))('decide, %s', (_, write) => {
    const home = homeWith({ hall: { list: [9] } });
    const { decision, home: after } = go(
      { decide: { go: (scene: Wild) => [write(scene), ...made(scene)].slice(1) } },
      home,
    );
    expect(decision).toMatchObject({ ok: false, error: { code: 'module/fault' }, fault: { rule: 'decide.go' } });
    expect(after).toEqual(homeWith({ hall: { list: [9] } }));
  });

  it.each(Object.entries(writes).filter(([name]) => !name.includes('config')))('complete, %s', (_, write) => {
    const modules = modulesOf({ complete: (turn: Wild) => [write(turn), ...made(turn)].slice(1) });
    const home = homeWith({ hall: { list: [9], dueAtMs: 60 } });
    expect(() => settle(modules, home, 100)).toThrow(ModuleFault);
    expect(home).toEqual(homeWith({ hall: { list: [9], dueAtMs: 60 } }));
  });

  it.each([
    ['a thing more', (scene: Wild) => (scene.things.tower = { list: [] })],
    ['a thing less', (scene: Wild) => delete scene.things.hut],
    ['another state', (scene: Wild) => (scene.things.hut = { list: [] })],
    ['the state of a thing that an event made', (scene: Wild) => (scene.things.hall.list[0] = 5)],
    ['a counter that an event set', (scene: Wild) => (scene.counters.times = 9)],
  ])('goOn after an event of the same settle, %s', (_, write) => {
    const goOn = (turn: Wild) => {
      if (turn.things.hall.dueAtMs === undefined) write(turn);
      return [];
    };
    const complete = (turn: Wild) => made(turn, { counters: { times: 4 } });
    const things = { hall: { list: [9], dueAtMs: 60 }, hut: { list: [] }, keep: { list: [], sinceMs: 1 } };
    expect(() => settle(modulesOf({ complete, goOn }), homeWith(things), 100)).toThrow(ModuleFault);
  });

  it('goOn in a settle that pauses after it: a thing that no event made does not get into its next part', () => {
    let writes = 1;
    const goOn = (turn: Wild) => {
      if (turn.things.hall.dueAtMs === undefined && writes-- > 0) turn.things.tower = { list: [] };
      return [];
    };
    const things = { hall: { list: [9], dueAtMs: 60 }, hut: { list: [], dueAtMs: 70 }, keep: { list: [], sinceMs: 1 } };
    const pausing = () => settleSome(modulesOf({ goOn }), homeWith(things), { nowMs: 100, maxEvents: 1 });
    const fault = { module: 'mod', thing: 'tower', rule: 'complete or goOn' };
    expect(pausing).toThrow(expect.objectContaining(fault));
    writes = 1;
    expect(pausing).toThrow('it writes into things: return an event instead');
  });

  it.each([
    ['the first thing of its kind', homeWith()],
    ['a thing that is there', homeWith({ 'ann~m8': { list: [9] } })],
  ])('evolve, %s', (_, home) => {
    const rules = {
      evolve: {
        made: (thing: Thing) => {
          thing.list.push(1);
          return thing;
        },
      },
    };
    const before = structuredClone(home.things.mod);
    const { decision } = go(rules, home);
    expect(decision).toMatchObject({ ok: false, error: { code: 'module/fault' }, fault: { rule: 'evolve.made' } });
    expect(home.things.mod).toEqual(before);
  });

  it.each([
    ['its event', (event: Wild) => (event.n = 2)],
    ['a list in its event', (event: Wild) => event.n.push(2)],
  ])('evolve, %s', (_, write) => {
    const { decision } = go({ evolve: { made: (thing: Thing, event: Wild) => [write(event), { ...thing }][1] } });
    expect(decision).toMatchObject({ ok: false, fault: { rule: 'evolve.made' } });
  });

  it('evolve, the thing that the event before it made', () => {
    let first: Thing | undefined;
    const evolve = (thing: Thing) => {
      if (first) first.list.push(2);
      first = { ...thing, list: [1] };
      return first;
    };
    const decide = (scene: Wild) => [...made(scene), ...made(scene)];
    expect(go({ decide: { go: decide }, evolve: { made: evolve } }).decision).toMatchObject({ ok: false });
  });
});

it('keeps the initial thing of a module as it was defined', () => {
  const initial = { list: [] as number[] };
  const contract = { name: 'mod', thing: z.any(), events: {}, commands: {} };
  const define = defineModule as (given: object) => { rules(own: object): AnyModule };
  const modules = new Modules([define({ ...contract, initial }).rules({ decide: {}, evolve: {} })]);
  initial.list.push(1);
  expect(modules.named('mod')?.initial).toEqual({ list: [] });
});

it('gives each attempt of a command the payload as it was read, and leaves the caller its own', () => {
  const bag = { count: 1 };
  const read = readCommand(modulesOf({}), 'mod:go', { commandId: 'command-0001', bag });
  const payload = (read.ok ? read.value.command : {}) as { bag: typeof bag };
  expect(() => (payload.bag.count = 2)).toThrow(TypeError);
  bag.count = 3;
  expect(payload.bag.count).toBe(1);
});

describe('what is longer than 1 MB as JSON', () => {
  const long = 'x'.repeat(1_000_000);

  it.each([
    ['text', long],
    ['a list of numbers', Array.from({ length: 60_000 }, () => -(2 ** -1001))],
    ['marks that JSON escapes', '\u0001'.repeat(170_000)],
    ['letters of three bytes', '\u4e00'.repeat(340_000)],
    ['names', Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`a rather long name ${at}`, 1]))],
  ])('is a fault as an event, not retryable: %s', (_, n) => {
    const { decision } = go({ decide: { go: (scene: Wild) => made(scene, { n }) }, evolve: { made: () => ({}) } });
    expect(decision).toMatchObject({ ok: false, error: { code: 'module/fault', retryable: false } });
    expect(decision).toHaveProperty('fault.message', expect.stringContaining('longer than 1000000 bytes as JSON'));
  });

  it('is a fault as a thing that grew in many events', () => {
    const half = 'x'.repeat(600_000);
    const evolve = (thing: { text?: string }) => ({ text: (thing.text ?? '') + half });
    const decide = (scene: Wild) => [...made(scene), ...made(scene)];
    const { decision } = go({ decide: { go: decide }, evolve: { made: evolve } });
    expect(decision).toMatchObject({ ok: false, fault: { rule: 'decide.go', thing: 'ann~m8' } });
  });

  it('a little less is kept', () => {
    const { decision } = go({
      decide: { go: (scene: Wild) => made(scene, { n: long.slice(100) }) },
      evolve: { made: (_thing: Thing, event: Wild) => ({ n: event.n }) },
    });
    expect(decision.ok).toBe(true);
  });
});
