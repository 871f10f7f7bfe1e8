import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginnerOf } from '../../bench/harness/contender-run.ts';
import { contenders, largeContenders } from '../../bench/peers/measure/contenders.ts';
import { FireLog } from '../../bench/peers/measure/fire-log.ts';
import { type Measurement, PeersResult, type Sizes } from '../../bench/peers/measure/measurement.ts';
import type { Item } from '../../bench/peers/measure/timer-system.ts';
import { measureRace } from '../../bench/peers/phases/race.ts';
import { planFrom } from '../../bench/peers/plan.ts';
import { lateness, rates, ratiosOf, spreadOfValues, valuesOf } from '../../bench/peers/report/figures.ts';
import { figureTable, pageOf } from '../../bench/peers/report/report.ts';
import { judgeGoals, peersAhead } from '../../bench/peers/report/targets.ts';
import { open } from '../../bench/peers/systems/memory.ts';
import { contenders as strategies } from '../../bench/strategies/systems/contenders.ts';

const results = path.join(import.meta.dirname, '../../bench/results');

const measured = (contender: string, round: number, figures: Record<string, number>): Measurement => ({
  contender,
  pending: 100,
  round,
  settings: 'as delivered',
  figures,
});

describe('the recorded page', () => {
  const recorded = PeersResult.parse(JSON.parse(readFileSync(path.join(results, 'peers.json'), 'utf8')));

  it('says what the recorded figures say (cure: npm run bench:peers -- --page)', () => {
    expect(readFileSync(path.join(results, 'peers.md'), 'utf8')).toBe(pageOf(recorded));
  });
});

it.each(contenders)('the program of $name is there', ({ file }) => {
  expect(existsSync(path.join(results, '../peers/measure', file))).toBe(true);
});

describe('a ratio', () => {
  const ratio = (measurements: readonly Measurement[]): number | undefined => {
    const [own, raw] = ['BullMQ', 'raw Redis'].map((contender) =>
      valuesOf(measurements, { contender, pending: 100, figure: 'schedule' }),
    );
    return spreadOfValues(ratiosOf(own ?? new Map(), raw ?? new Map()))?.median;
  };

  it('is made inside each round, so that a slow one does not count for less', () => {
    expect(
      ratio([
        ...[measured('raw Redis', 0, { schedule: 100 }), measured('BullMQ', 0, { schedule: 50 })],
        ...[measured('raw Redis', 1, { schedule: 10 }), measured('BullMQ', 1, { schedule: 5 })],
        ...[measured('raw Redis', 2, { schedule: 100 }), measured('BullMQ', 2, { schedule: 20 })],
      ]),
    ).toBe(0.5);
  });

  it('leaves out the rounds that one of both did not finish', () => {
    expect(
      ratio([
        ...[measured('raw Redis', 0, { schedule: 100 }), measured('BullMQ', 1, { schedule: 1 })],
        ...[measured('raw Redis', 2, { schedule: 10 }), measured('BullMQ', 2, { schedule: 4 })],
      ]),
    ).toBe(0.4);
    expect(ratio([measured('BullMQ', 0, { schedule: 1 })])).toBeUndefined();
  });
});

describe('a goal', () => {
  const verdictOf = (title: string, measurements: readonly Measurement[]) =>
    judgeGoals(measurements, 100).find(
      ({ goal, contender }) => goal.title === title && contender === 'Kibble on the wheel',
    );
  const raw = [0, 1, 2].map((round) => measured('raw Redis', round, { schedule: 100 }));
  const ours = (...perSec: number[]) =>
    perSec.map((schedule, round) => measured('Kibble on the wheel', round, { schedule }));

  it('is judged by the median of its rounds', () => {
    const title = 'schedule >= 0.44 x raw Redis';

    expect(verdictOf(title, [...raw, ...ours(10, 50, 90)])?.isReached).toBe(true);
    expect(verdictOf(title, [...raw, ...ours(43, 43, 90)])?.isReached).toBe(false);
  });

  it('beside a product is reached when the median and four rounds of five reach it', () => {
    const title = 'schedule above BullMQ, always';
    const theirs = [0, 1, 2, 3, 4].map((round) => measured('BullMQ, always', round, { schedule: 50 }));

    expect(verdictOf(title, [...theirs, ...ours(49, 60, 90, 70, 51)])?.isReached).toBe(true);
    expect(verdictOf(title, [...theirs, ...ours(49, 60, 90, 49, 51)])?.isReached).toBe(false);
    expect(verdictOf(title, [...theirs, ...ours(49, 60, 90)])?.isReached).toBe(false);
    // Fewer pairs than five, by the plan or because the product broke.
    expect(verdictOf(title, [...theirs, ...ours(60, 60, 60, 60)])?.isReached).toBe(false);
    expect(verdictOf(title, [...theirs.slice(0, 1), ...ours(60, 60, 60, 60, 60)])?.isReached).toBe(false);
    expect(verdictOf(title, [...theirs.slice(1), ...ours(49, 60, 60, 60, 60)])?.isReached).toBe(true);
  });

  it('beside a product that is in Redis a second before it is on disk is not the one at the same promise', () => {
    const measurements = [...ours(30), measured('BullMQ', 0, { schedule: 20, reschedule: 20 })];
    const titles = judgeGoals(measurements, 100).map(({ goal }) => goal.title);

    expect(titles.filter((title) => title.includes('BullMQ'))).toEqual([
      'reschedule >= 0.6 x BullMQ, which promises less',
    ]);
  });

  it('of no fault at all is missed by one in one round', () => {
    const faults = [0, 0, 1].map((lost, round) => measured('Kibble on the wheel', round, { lost }));

    expect(verdictOf('race, lost: none', faults)?.isReached).toBe(false);
    expect(verdictOf('race, lost: none', faults.slice(0, 2))?.isReached).toBe(true);
  });

  it('of no error in the race is not asked of a record that does not count errors', () => {
    const title = 'race, failed: none';

    expect(verdictOf(title, [measured('Kibble on the wheel', 0, { lost: 0 })])).toBeUndefined();
    expect(verdictOf(title, [measured('Kibble on the wheel', 0, { failed: 0 })])?.isReached).toBe(true);
    expect(verdictOf(title, [measured('Kibble on the wheel', 0, { failed: 1 })])?.isReached).toBe(false);
  });

  it('that was not measured is not reached', () => {
    expect(verdictOf('race, lost: none', [])).toMatchObject({ found: undefined, isReached: false });
    expect(verdictOf('schedule >= 0.44 x raw Redis', raw)).toMatchObject({ found: undefined, isReached: false });
  });

  it('beside somebody who does not run with so many waiting is none', () => {
    expect(verdictOf('schedule >= 0.44 x raw Redis', ours(50))).toBeUndefined();
  });
});

describe('who is ahead', () => {
  it('names a product that beats both of ours, and by how much, and not one that beats the slower', () => {
    const measurements = [
      measured('Kibble on the wheel', 0, { schedule: 100, durableP50: 10 }),
      measured('Kibble on Redis', 0, { schedule: 50, durableP50: 20 }),
      measured('BullMQ', 0, { schedule: 75, durableP50: 5 }),
      measured('raw Redis', 0, { schedule: 1_000 }),
    ];

    expect(peersAhead(measurements, 100)).toEqual([
      { figure: 'effect late, p50', peer: 'BullMQ', ours: 'Kibble on the wheel', times: 2 },
    ]);
  });
});

describe('the command line', () => {
  const namesOf = (args: readonly string[]) => planFrom(args).blocks.map(({ rounds }) => rounds[0]?.names ?? []);
  const pairs = ['Kibble on the wheel', 'Kibble on Redis', 'BullMQ', 'BullMQ, always'];

  it('measures everybody with up to a hundred thousand waiting, and five with a million', () => {
    const [few = [], many = [], million = []] = namesOf(['--pending', '10000,100000,1000000']);

    expect(few).toEqual(expect.arrayContaining(['agenda on Postgres', 'Kibble on Redis, always', ...pairs]));
    expect(many).toEqual(few);
    expect(million.toSorted()).toEqual([...pairs, 'pg-boss'].toSorted());
  });

  it('measures everything three times, and once more the calls of those whose goals are beside each other, to five', () => {
    const [{ rounds } = { rounds: [] }] = planFrom([]).blocks;

    expect(rounds.map(({ isCallsAlone }) => isCallsAlone)).toEqual([false, false, false, true, true]);
    expect(rounds.slice(3).map(({ names }) => names)).toEqual([pairs, pairs]);
  });

  it('keeps as many calls in flight as it is asked to, and records only the usual number', () => {
    const flight = (args: readonly string[]) => planFrom(args).blocks.map(({ sizes }) => sizes.inFlight);
    expect(flight(['--pending', '10000,1000000'])).toEqual([64, 64]);
    expect(flight(['--in-flight', '256', '--pending', '500'])).toEqual([256]);
    expect(planFrom([]).isWhole).toBe(true);
    expect(planFrom(['--in-flight', '256']).isWhole).toBe(false);
    expect(planFrom(['--rounds', '1']).isWhole).toBe(true);
    expect(planFrom(['--pairs', '4']).isWhole).toBe(false);
  });

  it('chooses by parts of names', () => {
    expect(namesOf(['--only', 'bullmq', '--pending', '500'])).toEqual([
      ['BullMQ', 'BullMQ, always', 'BullMQ, Redis hz 500'],
    ]);
  });

  it.each([
    [['--only', 'cron']],
    [['--rounds', '0']],
    [['--pairs', 'few']],
    [['--pending', 'many']],
    [['--fast']],
    [['--in-flight', '0']],
  ])('refuses %j', (args: string[]) => {
    expect(() => planFrom(args)).toThrow();
  });
});

it('a round that broke, or lost timers of its burst, reaches nothing', () => {
  const judged = (...last: readonly Measurement[]) =>
    judgeGoals(
      [
        measured('Kibble on Redis', 0, { lost: 0, burstDurable: 1 }),
        measured('raw Redis + Stream', 0, { burstBegan: 1 }),
        ...last,
      ],
      100,
    )
      .filter(({ contender, isReached }) => contender === 'Kibble on Redis' && isReached)
      .map(({ goal }) => goal.figure);
  expect(judged()).toEqual(['burstDurable', 'lost']);
  expect(judged({ ...measured('Kibble on Redis', 1, {}), failed: 'ended with 1' })).toEqual([]);
  expect(judged(measured('Kibble on Redis', 1, { burstMissing: 3 }))).toEqual(['lost']);
});

it.each([contenders.length, strategies.length, largeContenders.length])(
  'begins each of five rounds with another one of %i contenders',
  (count) => {
    expect(new Set(Array.from({ length: 5 }, (_, round) => beginnerOf(round, count))).size).toBe(Math.min(5, count));
  },
);

it('counts the rounds of a table, not those that measured something else', () => {
  const measurements = [
    ...[0, 1].map((round) => measured('Kibble on Redis', round, { schedule: 5, beganP99: 1 })),
    measured('Kibble on Redis', 2, { schedule: 5 }),
  ];
  expect(figureTable(measurements, 100, rates)[1]?.slice(0, 2)).toEqual(['Kibble on Redis', '3']);
  expect(figureTable(measurements, 100, lateness)[1]?.slice(0, 2)).toEqual(['Kibble on Redis', '2']);
});

it('waits in a race for a system that fires everything late, and calls no timer lost', async () => {
  const LATE_MS = 300;
  const inTime = await open({ redisUrl: '', postgresUrl: '' }, undefined);
  const { bulk: _, ...system } = {
    ...inTime,
    schedule: ({ id, dueAtMs }: Item) => inTime.schedule({ id, dueAtMs: dueAtMs + LATE_MS }),
    reschedule: (id: number, dueAtMs: number) => inTime.reschedule(id, dueAtMs + LATE_MS),
  };
  const log = new FireLog({ add: async () => undefined });
  await system.start(log);
  const sizes = { race: 5, inFlight: 5 } as Sizes;
  const session = { system, sizes, log, random: () => 0.5, takeIds: () => 0, schedulesPerSec: 1_000 };

  expect(await measureRace(session, { shiftMs: 100, quietMs: 20, giveUpMs: 5_000 })).toMatchObject({
    raceApplied: 5,
    lost: 0,
  });
});
