import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { judge } from '../../server/domain/decide.ts';
import { ModuleFault } from '../../server/domain/module-fault.ts';
import { type LoadedModule, Modules } from '../../server/domain/modules.ts';
import { readCommand } from '../../server/domain/read-command.ts';
import { handleRejections } from '../../shared/game-code.ts';
import { jsonFlaw } from '../../shared/json-flaw.ts';
import { moduleSchema } from '../../shared/module/check-module.ts';
import { readModuleConfig } from '../../shared/module/config.ts';
import type { AnyModule, Rules, Shapes } from '../../shared/module/module.ts';
import { readOptions } from '../../shared/options/read-options.ts';
import { homeWith, puppet } from '../support/modules/puppet.ts';
import { prove } from '../support/properties/prove.ts';
import { hostileReturns, hostileThrows } from './hostile.ts';

/** JSON does not read it either: an empty object. */
const UNREAD = 'a thenable whose `then` cannot be read';

type Rule = Exclude<keyof Rules<object, Shapes, Shapes>, 'words' | 'inTransaction'>;

/** How each rule is called, and what of the hostile values it may return. A rule without a row does not compile. */
const calls = {
  decide: (rules) => rules.decide.say?.({} as never),
  evolve: (rules) => rules.evolve.set?.({}, { type: 'set', thing: 'x', seq: 1, at: 1 }),
  dueAtMs: (rules) => rules.dueAtMs?.({}, 'x'),
  complete: (rules) => rules.complete?.({ id: 'x' } as never),
  waitingSinceMs: (rules) => rules.waitingSinceMs?.({}, 'x'),
  goOn: (rules) => rules.goOn?.({ id: 'x' } as never),
  starter: (rules) => rules.starter?.({}),
  open: (rules) => rules.open?.({} as never),
  renew: (rules) => rules.renew?.({} as never),
  shift: (rules) => rules.shift?.({ id: 'x' } as never),
  stop: (rules) => rules.stop?.({ id: 'x' } as never),
  arrive: (rules) => rules.arrive?.({ id: 'x' } as never),
  run: (rules) => rules.run?.({}, 'x'),
  title: (rules) => rules.title?.({}, 'x'),
  limit: (rules) => rules.limit?.({}),
  reply: (rules) => rules.reply?.([]),
  doneOf: (rules) => rules.doneOf?.([]),
  older: (rules) => rules.older?.thing({}, 1),
} satisfies Record<Rule, (rules: LoadedModule['rules']) => unknown>;

/** What is right in that place: a number is a limit, a state may be any object (what is in it is looked at when it is written). */
const mayReturn: Partial<Record<Rule, readonly string[]>> = {
  evolve: [
    'a BigInt',
    'a circular object',
    'an object without a prototype',
    'a toJSON that throws',
    'a Date',
    'a Date that is none',
    'half an emoji',
    'a key with NUL',
    'an object of a hundred thousand floors',
    'parts in very many places',
  ],
  dueAtMs: ['a number'],
  waitingSinceMs: ['a number'],
  limit: ['a number'],
  starter: ['an object without a prototype', UNREAD],
  reply: ['an object without a prototype', UNREAD],
  run: ['text of two megabytes'],
  title: ['text of two megabytes'],
};
mayReturn.older = mayReturn.evolve ?? [];

const moduleWith = (rule: Rule, code: () => unknown): LoadedModule => {
  const named = { decide: { say: code }, evolve: { set: code }, older: { thing: code, event: code } };
  const [module] = new Modules([
    { ...puppet('aa'), [rule]: rule in named ? named[rule as 'decide'] : code } as AnyModule,
  ]).all;
  if (!module) throw new Error('no module');
  return module;
};

const faultOf = (play: () => unknown): ModuleFault => {
  try {
    play();
  } catch (error) {
    if (error instanceof ModuleFault) return error;
    throw error;
  }
  throw new Error('no fault');
};

describe.each(Object.keys(calls) as Rule[])('what %s', (rule) => {
  it.for(hostileThrows)('throws, $what, is a fault of the module that names the rule', ({ make, said }, context) => {
    const module = moduleWith(rule, () => {
      throw make();
    });
    const fault = faultOf(() => calls[rule](module.rules));
    expect(fault).toMatchObject({ module: 'aa', rule: expect.stringContaining(rule) });
    expect(fault.text).toMatch(said);
    prove(context, { row: 30, tries: 1, of: 'hostile returns and throws of rules' });
  });

  it.for(hostileReturns)(
    'returns, $what, is a fault of the module where it is not right',
    ({ what, make }, context) => {
      const lost: unknown[] = [];
      const note = (reason: unknown): void => void lost.push(reason);
      process.on('unhandledRejection', note);
      onTestFinished(() => void process.off('unhandledRejection', note));
      const module = moduleWith(rule, make);
      // As the write does with a state that cannot be kept.
      if (mayReturn[rule]?.includes(what)) handleRejections(calls[rule](module.rules));
      else expect(faultOf(() => calls[rule](module.rules)).message).toMatch(/aa( x)?: TypeError: |aa( x)?: Error: /);
      expect(lost).toEqual([]);
      prove(context, { row: 30, tries: 1, of: 'hostile returns and throws of rules' });
    },
  );
});

describe('a due time', () => {
  it.each([null, Number.NaN, 1.5, 10n, new Date(0), Promise.resolve(1), '1', Number.POSITIVE_INFINITY, -(2 ** 42)])(
    'that is %s is a fault of the rule, by thing',
    (due) => {
      for (const rule of ['dueAtMs', 'waitingSinceMs'] as const) {
        const fault = faultOf(() => calls[rule](moduleWith(rule, () => due).rules));
        expect(fault).toMatchObject({ module: 'aa', thing: 'x', rule });
        expect(fault.message).toContain('is neither undefined nor whole epoch milliseconds');
      }
    },
  );
});

const deep = z.object({ deep: z.unknown() });
const saying = (events: readonly object[], more: Partial<AnyModule> = {}) => {
  const base = puppet('aa', { decide: { say: () => events } });
  const modules = new Modules([
    {
      ...base,
      ...more,
      events: { ...base.events, told: deep },
      evolve: { ...base.evolve, told: () => ({}), ...more.evolve },
    } as AnyModule,
  ]);
  const home = homeWith(modules, { aa: {} }, { wood: 1 });
  return judge({ modules, home, command: { type: 'aa:say' }, commandId: 'command-1', nowMs: 150 }).decision;
};

describe('an event', () => {
  it.each(hostileReturns.filter(({ what }) => what !== UNREAD && !/null|a number|prototype|megabytes/.test(what)))(
    'with $what deep in its body is a fault before anything is written',
    ({ make }) => {
      const decision = saying([{ type: 'told', thing: 'x', deep: { er: [make()] } }]);
      expect(decision).toMatchObject({ ok: false, error: { code: 'module/fault', retryable: false } });
    },
  );

  it.each(['a\0b', '\ud83d', 'x'.repeat(257), ''])('of a thing whose id is %j is a fault', (thing) => {
    expect(saying([{ type: 'told', thing, deep: 1 }])).toMatchObject({ ok: false, error: { code: 'module/fault' } });
  });

  it('that makes a thing which JSON cannot keep is a fault of the thing', () => {
    const decision = saying([{ type: 'told', thing: 'x', deep: 1 }], { evolve: { told: () => ({ at: Number.NaN }) } });
    expect(decision).toMatchObject({
      ok: false,
      error: { code: 'module/fault', params: { module: 'aa', thing: 'x' } },
    });
    expect(String(!decision.ok && decision.fault)).toContain('at is NaN');
  });

  it('gives no item that nobody declares, unless its thing had it', () => {
    const gives = (item: string) =>
      saying([{ type: 'told', thing: 'x', deep: 1, items: { [item]: 1 } }], { items: ['gold'] });
    expect(gives('gold')).toMatchObject({ ok: true });
    expect(gives('wood')).toMatchObject({ ok: true });
    const refused = gives('fluor');
    expect(refused).toMatchObject({ ok: false, error: { code: 'module/fault' } });
    expect(String(!refused.ok && refused.fault)).toContain('it gives fluor');
    const back = saying(
      [
        { type: 'told', thing: 'x', deep: 1 },
        { type: 'told', thing: 'x', deep: 2, items: { fluor: 1 } },
      ],
      { evolve: { told: () => ({ armed: 'fluor' }) } },
    );
    expect(back).toMatchObject({ ok: true });
  });

  it('gives no more of an item than can be counted', () => {
    const most = Number.MAX_SAFE_INTEGER;
    expect(saying([{ type: 'told', thing: 'x', deep: 1, items: { wood: most } }])).toMatchObject({
      ok: false,
      error: { code: 'item/too-many', params: { item: 'wood', have: 1, more: most } },
    });
  });
});

describe('a payload', () => {
  const commands = { say: z.object({ text: z.unknown() }) };
  const modules = new Modules([{ ...puppet('aa'), commands } as AnyModule]);

  it.each(['a\0b', { deep: ['\udc00'] }, { 'k\0': 1 }, 10n, Number.NaN])(
    'with %s is refused whatever its schema says',
    (text) => {
      expect(readCommand(modules, 'aa:say', { commandId: 'command-1', text })).toMatchObject({
        ok: false,
        error: { code: 'command/invalid', retryable: false },
      });
    },
  );

  it('with line breaks and whole emoji is read', () => {
    const read = readCommand(modules, 'aa:say', { commandId: 'command-1', text: 'two\nlines 🐕' });
    expect(read).toMatchObject({ ok: true });
  });

  it('of thousands of levels is refused, also if its schema would fail in it', () => {
    const text = Array.from({ length: 20_000 }).reduce((inner: unknown) => [inner], 1);
    const strict = new Modules([{ ...puppet('aa'), commands: { say: z.object({ text: z.json() }) } } as AnyModule]);
    expect(readCommand(strict, 'aa:say', { commandId: 'command-1', text })).toMatchObject({
      ok: false,
      error: { code: 'command/invalid' },
    });
  });

  it('whose schema throws is a fault of the module', () => {
    const thrower = z.object({
      text: z.string().refine(() => {
        throw Object.create(null);
      }),
    });
    const torn = new Modules([{ ...puppet('aa'), commands: { say: thrower } } as AnyModule]);
    const read = readCommand(torn, 'aa:say', { commandId: 'command-1', text: 'a' });
    expect(read).toMatchObject({ ok: false, error: { code: 'module/fault' }, fault: { rule: 'commands.aa:say' } });
  });
});

it('what JSON keeps has no flaw, however it is nested', () => {
  expect(jsonFlaw({ a: [1, 'two', null, { b: true }], c: undefined })).toBeUndefined();
  expect(jsonFlaw({ a: { b: ['x', undefined] } })).toEqual({ path: 'a.b.1', message: 'is undefined' });
});

describe('an object whose parts stand in many places, 2 to the power of 60 values,', () => {
  const many = Array.from({ length: 60 }).reduce((part: object) => ({ left: part, right: part }), {}) as object;
  const tooMany = expect.stringMatching(/has more than 1000000 values$/);

  it('has a flaw, found in bounded time', () => {
    expect(jsonFlaw(many)).toEqual({ path: expect.anything(), message: tooMany });
    expect(jsonFlaw(many, 0, { sixths: 0 })).toEqual({ path: expect.anything(), message: tooMany });
  });

  it('is refused in a payload, in a reply, as a thing’s beginning and as rules', () => {
    const anything = { say: z.object({ text: z.unknown() }) };
    const modules = new Modules([{ ...puppet('aa'), commands: anything } as AnyModule]);
    const read = readCommand(modules, 'aa:say', { commandId: 'command-1', text: many });
    expect(!read.ok && read.error.code).toBe('command/invalid');
    expect(faultOf(() => calls.reply(moduleWith('reply', () => many).rules)).text).toEqual(tooMany);
    const begun = (): unknown => readOptions(moduleSchema, { ...puppet('aa'), initial: many }, 'defineModule');
    expect(begun).toThrow(/initial .*has more than 1000000 values/);
    const given = readModuleConfig({ name: 'aa', config: z.unknown() }, many);
    expect(given.ok ? [] : given.error).toEqual([tooMany]);
  });
});
