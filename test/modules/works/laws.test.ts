import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HomeEvent } from '../../../shared/event.ts';
import { thingsOf } from '../../../shared/home.ts';
import { countOf } from '../../../shared/items.ts';
import { parseWorksRules } from '../../../shared/works/rules-file.ts';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { prove } from '../../support/properties/prove.ts';
import { drawsOf, modulesOf, playWorks, STOCK } from '../../support/works/play-works.ts';
import {
  AUTUMN_AT_MS,
  START_AT_MS,
  worksHistory,
  worksLooks,
  worksRules,
} from '../../support/works/works-histories.ts';
import { type Line, WorksOracle } from '../../support/works/works-oracle.ts';

const RUNS = tries({ test: 100, proof: 10_000 });
const bothRules = fc.record({ town: worksRules, farm: worksRules });
/** Within a history clocks go forward, or back. */
const night = fc.constantFrom(START_AT_MS, AUTUMN_AT_MS);

const isOfWorks = ({ type }: HomeEvent): boolean => /^(town|farm)\//.test(type);
const lineOf = ({ type, thing, at, items = {} }: HomeEvent): Line => ({ what: `${type} ${thing}`, at, items });

describe('a town and a farm beside pets', () => {
  it('give the log, the answers and the stock of an oracle that works millisecond by millisecond', {
    timeout: HANG_MS,
  }, (context) => {
    let finished = 0;
    const law = fc.property(bothRules, bothRules, worksHistory, night, (rules, later, history, startMs) => {
      const played = playWorks(history, { rules, later, startMs });
      const oracle = new WorksOracle(STOCK, startMs, drawsOf(played.log));
      for (const step of played.steps) {
        oracle.waitUntil(step.nowMs);
        if (!step.command && !step.isAccepted) continue;
        expect([oracle.play(step.rules, step.command), step.command]).toEqual([step.isAccepted, step.command]);
      }
      oracle.waitUntil(played.endMs);
      const log = played.log.filter(isOfWorks);
      expect(log.map(lineOf)).toEqual(oracle.lines);
      for (const item of Object.keys(STOCK)) {
        expect([item, countOf(played.home.items, item)]).toEqual([item, oracle.stock[item] ?? 0]);
      }
      finished += log.filter(({ type }) => type.endsWith('/finished')).length;
    });
    fc.assert(law, { numRuns: RUNS });
    prove(
      context,
      { row: 9, tries: finished, of: 'completions' },
      { row: 22, tries: RUNS, of: 'histories with random rules of works' },
    );
  });

  it('give the same log for looks at any times, in slices of any size', { timeout: HANG_MS }, () => {
    const law = fc.property(bothRules, bothRules, worksHistory, worksLooks, (rules, later, history, looks) => {
      expect(playWorks(history, { rules, later, looks }).log).toEqual(playWorks(history, { rules, later }).log);
    });
    fc.assert(law, { numRuns: tries({ test: 100, proof: 2000 }) });
  });

  it('give the same log whatever rules are in force while nobody commands', { timeout: HANG_MS }, () => {
    const law = fc.property(bothRules, bothRules, bothRules, worksHistory, (rules, later, settling, history) => {
      expect(playWorks(history, { rules, later, settling }).log).toEqual(playWorks(history, { rules, later }).log);
    });
    fc.assert(law, { numRuns: tries({ test: 100, proof: 2000 }) });
  });
});

describe('the histories that the laws are tried on', () => {
  const sample = fc.sample(fc.tuple(bothRules, bothRules, worksHistory), { numRuns: 400, seed: 7 });
  const played = sample.map(([rules, later, history]) => playWorks(history, { rules, later }));

  it('are by rules that a game could have', () => {
    for (const [{ town }] of sample) expect(parseWorksRules(town)).toMatchObject({ ok: true });
    expect(() => modulesOf(sample[0]?.[0] ?? { town: {} as never, farm: {} as never })).not.toThrow();
  });

  it('have half of their commands accepted, and reach every event', () => {
    const steps = played.flatMap((one) => one.steps);
    expect(steps.filter(({ isAccepted }) => isAccepted).length / steps.length).toBeGreaterThan(0.5);
    const types = new Map<string, number>();
    for (const { type } of played.flatMap(({ log }) => log)) types.set(type, (types.get(type) ?? 0) + 1);
    const own = [
      'placed',
      'ordered',
      'started',
      'card-used',
      'finished',
      'done',
      'collected',
      'cancelled',
      'reordered',
      'renewed',
      'removed',
    ];
    expect(own.filter((type) => (types.get(`town/${type}`) ?? 0) < 5)).toEqual([]);
    expect(types.get('feeding-completed') ?? 0).toBeGreaterThan(5);
  });

  it('ask for what is closed, and for what is open while clocks change', () => {
    const codes = played.flatMap(({ steps }) => steps.map(({ code }) => code));
    expect(codes.filter((code) => code === 'works/closed').length).toBeGreaterThan(50);
    expect(codes.filter((code) => code === 'works/at-most').length).toBeGreaterThan(25);
    const opened = played.flatMap(({ steps }) =>
      steps.flatMap(({ isAccepted, command, rules }) => {
        if (!isAccepted || command?.type !== 'start' || command.module !== 'town') return [];
        const { during } = rules.town.activities[command.activity ?? ''] ?? {};
        return during === 'night' || during === 'dusk' ? [during] : [];
      }),
    );
    expect(opened.length).toBeGreaterThan(5);
  });

  it('draw amounts and prizes, some of which had to come', () => {
    const draws = played.flatMap(({ log }) => drawsOf(log));
    expect(draws.filter(({ items }) => Object.keys(items).length > 0).length).toBeGreaterThan(50);
    expect(new Set(draws.map(({ prize }) => prize)).size).toBeGreaterThan(3);
    const missed = played.flatMap(({ log }) =>
      log.flatMap(({ type, counters }) => (type.endsWith('/finished') && counters ? Object.values(counters) : [])),
    );
    expect(missed.filter((count) => count === 0).length).toBeGreaterThan(12);
    expect(missed.filter((count) => Number(count) > 1).length).toBeGreaterThan(5);
  });

  it('leave things that wait, that run and that hold', () => {
    const states = played.flatMap(({ home }) =>
      Object.values(thingsOf(home, 'town')).map((thing) => (thing as { task?: { state: string } }).task?.state),
    );
    for (const state of ['waits', 'runs', 'holds', undefined]) {
      expect(states.filter((one) => one === state).length).toBeGreaterThan(5);
    }
    const held = played.flatMap(({ log }) =>
      log.filter(({ type, waitsSinceMs, items }) => type === 'town/finished' && waitsSinceMs !== undefined && !items),
    );
    expect(held.length).toBeGreaterThan(25);
  });
});
