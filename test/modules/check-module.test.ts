import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { village } from '../../examples/village.ts';
import type { AnyModule } from '../../shared/module/module.ts';
import { checkModule, type ModuleTrial } from '../../testing/check-module.ts';

const site = fc.constantFrom('hall', 'mill', 'barn', 'wall');
const card = fc.constantFrom('hourglass', 'flag');
const trial: ModuleTrial = {
  commands: fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant('upgrade'), payload: fc.record({ site }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('use-card'), payload: fc.record({ site, card }) }) },
  ),
  items: { wood: 400, hourglass: 3, flag: 3 },
  invariant: (sites) => Object.values(sites).filter((one) => 'work' in one).length <= 2,
};

const broken = (change: Partial<Record<keyof AnyModule, unknown>>): AnyModule =>
  ({ ...village, ...change }) as AnyModule;
const found = (module: AnyModule, more: Partial<ModuleTrial> = {}): string =>
  checkModule(module, { ...trial, ...more }, { runs: 60 })
    .map(({ law, counterexample }) => `${law}: ${counterexample}`)
    .join('\n');

it('finds nothing wrong with a village', () => {
  expect(checkModule(village, trial, { runs: 60 })).toEqual([]);
});

describe('a fault in a module is found, with what to mend:', () => {
  it.each([
    ['the clock', () => Date.now()],
    ['the day', () => new Date().getDate()],
    ['chance', () => Math.floor(Math.random() * 97)],
  ])('a rule that reads %s', (_, read) => {
    const complete = ({ id }: { id: string }) => [{ type: 'finished', thing: id, level: read() }];
    const faults = checkModule(broken({ complete }), trial, { runs: 30 });
    expect(faults).toMatchObject([
      {
        law: 'rules read neither the clock nor chance',
        counterexample: expect.stringMatching(/^a rule asks the clock or chance: event \d+ is \{.*'village\/finished'/),
      },
    ]);
    expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
  });

  it('an evolve that forgets a field', () => {
    const evolve = { ...village.evolve, finished: () => ({}) };
    expect(found(broken({ evolve }))).toContain('evolve forgets or misspells a field');
  });

  it('rules that are read in complete', () => {
    const of = (gold: number): AnyModule =>
      broken({
        complete: ({ id, thing }: { id: string; thing: { level: number } }) => [
          { type: 'finished', thing: id, level: thing.level + 1, items: { gold } },
        ],
      });
    expect(found(of(5), { other: of(6) })).toContain('settling reads no rules');
  });

  it('a slot that decide alone counts', () => {
    const goOn = ({ id, thing, nowMs }: { id: string; thing: { queued: { workMs: number } }; nowMs: number }) => [
      { type: 'started', thing: id, work: { leftMs: thing.queued.workMs, sinceAtMs: nowMs } },
    ];
    expect(found(broken({ goOn }))).toContain('count again in goOn');
  });

  it('an event that takes what is not there', () => {
    const complete = ({ id }: { id: string }) => [{ type: 'finished', thing: id, level: 1, items: { gold: -9 } }];
    expect(found(broken({ complete }))).toContain('item/out-of-stock');
  });

  it('a Date in a thing', () => {
    const evolve = { ...village.evolve, finished: () => ({ level: 1, builtOn: new Date(5) }) };
    expect(found(broken({ evolve }))).toContain('no Date');
  });

  it('a thing that is changed in place', () => {
    const finished = (thing: { level: number; work?: unknown }) => {
      thing.level += 1;
      delete thing.work;
      return thing;
    };
    expect(found(broken({ evolve: { ...village.evolve, finished } }))).toContain('evolve.finished of village');
  });

  it('an event with a field that its contract does not know', () => {
    const complete = ({ id }: { id: string }) => [{ type: 'finished', thing: id, level: 1, itms: { gold: 5 } }];
    expect(found(broken({ complete }))).toContain('not as its contract says: Unrecognized key: "itms"');
  });

  it('work that takes no time', () => {
    const complete = ({ id }: { id: string }) => [{ type: 'started', thing: id, work: { leftMs: 0, sinceAtMs: 0 } }];
    expect(found(broken({ complete }))).toContain('turns at one instant');
  });
});

describe('a fault in the trial is found:', () => {
  it('a command that the module does not have', () => {
    const commands = fc.constant({ type: 'upgarde', payload: { site: 'hall' } });
    expect(found(village, { commands })).toContain('“upgarde” is no command of village: it has upgrade, use-card');
  });

  it('commands that are all refused, with the reason', () => {
    const commands = fc.constant({ type: 'use-card', payload: { site: 'hall', card: 'flag' } });
    expect(found(village, { commands })).toContain('“use-card” was never accepted, at last village/idle {}');
    expect(found(village, { commands, mayRefuse: ['use-card'] })).toBe('');
  });

  it('a payload that the server would not read', () => {
    const commands = fc.constant({ type: 'upgrade', payload: { site: 'castle' } });
    expect(found(village, { commands })).toMatch(/“upgrade” was never accepted, at last command\/invalid .*site/);
  });
});

it('tells of one fault only, and finds the same history again by the seed that it printed', () => {
  const invariant = (sites: Readonly<Record<string, object>>): boolean => Object.keys(sites).length < 2;
  const [fault, ...more] = checkModule(village, { ...trial, invariant }, { runs: 60 });
  const seed = Number(/seed: (-?\d+)/.exec(fault?.counterexample ?? '')?.[1]);
  expect(more).toEqual([]);
  expect(checkModule(village, { ...trial, invariant }, { runs: 60, seed })).toEqual([fault]);
});
