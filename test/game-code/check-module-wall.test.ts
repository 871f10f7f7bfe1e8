import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type AnyModule, defineModule, type Rules, type Shapes } from '../../shared/module/module.ts';
import { checkModule, type ModuleTrial } from '../../testing/check-module.ts';
import { checkRules } from '../../testing/check-rules.ts';
import { puppet } from '../support/modules/puppet.ts';
import { type CallbacksOf, hostileReturns, hostileThrows, rejectedList } from './hostile.ts';

type Code = () => unknown;
type Tried = readonly [AnyModule, Partial<ModuleTrial>];
type Callback =
  | Exclude<keyof Rules<object, Shapes, Shapes>, 'words'>
  | CallbacksOf<Omit<ModuleTrial, 'commands'>>
  | 'commands'
  | 'thing'
  | 'items';

const say = { events: [{ type: 'set', thing: 'a', dueAtMs: 1_800_000_000_500 }] };
const waits = { events: [{ type: 'set', thing: 'b', sinceMs: 5 }] };
const commands = fc.constantFrom({ type: 'say', payload: say }, { type: 'say', payload: waits });
const having = (changed: object, trial: object = {}): Tried => [puppet('aa', { ...changed }), trial];
const rule =
  (name: string) =>
  (code: Code): Tried =>
    having({ [name]: code });

/** The module and the trial that have the code in this place. A callback without a row does not compile. */
const places: Readonly<Record<Callback, (code: Code) => Tried>> = {
  decide: (code) => having({ decide: { say: code } }),
  evolve: (code) => having({ evolve: { set: code, gone: () => undefined } }),
  dueAtMs: rule('dueAtMs'),
  complete: rule('complete'),
  waitingSinceMs: rule('waitingSinceMs'),
  goOn: rule('goOn'),
  starter: rule('starter'),
  open: rule('open'),
  renew: rule('renew'),
  shift: rule('shift'),
  stop: rule('stop'),
  arrive: rule('arrive'),
  run: rule('run'),
  title: rule('title'),
  limit: rule('limit'),
  reply: rule('reply'),
  inTransaction: rule('inTransaction'),
  doneOf: rule('doneOf'),
  older: (code) => having({ older: { thing: code, event: code } }),
  items: rule('items'),
  // An async schema, which zod itself refuses, is no row: zod drops its promise.
  thing: (code) => having({ thing: z.unknown().transform(() => void code()) }),
  invariant: (code) => having({}, { invariant: code }),
  commands: (code) => having({}, { commands: commands.map(code) }),
};

/** What `checkModule` says, as a return value or an error. */
const said = (place: Callback, code: Code): string => {
  const [module, trial] = places[place](code);
  try {
    const found = checkModule(module, { commands, mayRefuse: ['say'], ...trial }, { runs: 3, seed: 3 });
    return found.map(({ counterexample }) => counterexample).join();
  } catch (error) {
    return (error as Error).message;
  }
};

/** Rules that `checkModule` does not call. */
const UNCALLED: readonly Callback[] = ['shift', 'stop', 'arrive', 'limit', 'inTransaction', 'older'];
const whose = (place: Callback): string =>
  ['invariant', 'commands'].includes(place) ? 'of the trial' : `${place}.*aa`;

it.each(Object.keys(places) as Callback[])(
  'checkModule says whose code fails, whatever %s throws or returns',
  async (place) => {
    const lost: unknown[] = [];
    const note = (reason: unknown): void => void lost.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    // What is not called cannot throw or return anything: one try says so.
    const triesOf = <One>(all: readonly One[]) => (UNCALLED.includes(place) ? all.slice(0, 1) : all);
    const thrown = [...hostileThrows, { make: () => Promise.reject(new Error('too late')) }];
    for (const { make } of triesOf(thrown)) {
      const text = said(place, () => {
        throw make();
      });
      expect(text).toMatch(UNCALLED.includes(place) ? /^$/ : new RegExp(whose(place)));
      expect(text.length).toBeLessThan(20_000);
    }
    const returned = [...hostileReturns, { what: 'a list of rejected promises', make: rejectedList }];
    for (const { make } of triesOf(returned)) {
      expect(said(place, make)).toMatch(/^$|aa|of the trial/);
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(lost).toEqual([]);
  },
);

it('bounds the events of a command, and of an instant', () => {
  const many = (length: number) => new Array<object>(length).fill({ type: 'set', thing: 'x', sinceMs: 5 });
  const tooMany = many(3_000_000);
  expect(said('decide', () => tooMany)).toMatch(/^decide.say of aa: .*no array of at most 10000 events/);
  // Enough to pass the bound once: the smaller histories, which fast-check tries next, then play fast.
  let left = 16;
  const most = many(9_999);
  const goOn = () => (left-- > 0 ? most : []);
  expect(said('goOn', goOn)).toMatch(/^goOn of aa .*the home had more than 100000 events at one instant/);
});

it('reads a config whose parts stand in many places, or in which a getter throws', () => {
  const shared = hostileReturns.find(({ what }) => what === 'parts in very many places')?.make();
  const { events: _, ...contract } = puppet('aa');
  const ofConfig = (config: z.ZodType) =>
    defineModule({
      name: contract.name,
      thing: contract.thing,
      initial: {},
      events: {},
      commands: {},
      config,
    } as never).rules({ decide: {}, evolve: {} } as never) as unknown as (json: unknown) => {
      given: { config: unknown };
    };
  expect(ofConfig(z.unknown().transform(() => shared))({}).given.config).toBeTypeOf('object');
  const thorny = Object.defineProperty({}, 'a', {
    enumerable: true,
    get: () => {
      throw Object.create(null);
    },
  });
  expect(() => ofConfig(z.unknown())(thorny)).toThrow(/the rules are refused/);
});

it('checkRules reports rules that no file may have, and tries none of them', () => {
  for (const { make } of hostileReturns.filter(({ what }) => !what.includes('promise'))) {
    const bad = { foods: { hay: make() }, cards: {}, limits: {} };
    expect(checkRules(bad as never, { runs: 1 })[0]?.counterexample).toMatch(/foods|rules/);
  }
});
