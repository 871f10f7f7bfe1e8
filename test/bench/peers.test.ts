import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Measurement, PeersResult } from '../../bench/peers/measure/measurement.ts';
import { planFrom } from '../../bench/peers/plan.ts';
import { ratioOf, valuesOf } from '../../bench/peers/report/figures.ts';
import { pageOf } from '../../bench/peers/report/report.ts';
import { judgeGoals, whoIsAhead } from '../../bench/peers/report/targets.ts';

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

describe('a ratio', () => {
  const ratio = (measurements: readonly Measurement[]): number | undefined => {
    const [own, raw] = ['BullMQ', 'raw Redis'].map((contender) =>
      valuesOf(measurements, { contender, pending: 100, figure: 'schedule' }),
    );
    return ratioOf(own ?? new Map(), raw ?? new Map())?.median;
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
    const title = 'schedule >= 0.5 x raw Redis';

    expect(verdictOf(title, [...raw, ...ours(10, 50, 90)])?.isReached).toBe(true);
    expect(verdictOf(title, [...raw, ...ours(49, 49, 90)])?.isReached).toBe(false);
  });

  it('of no fault at all is missed by one in one round', () => {
    const faults = [0, 0, 1].map((lost, round) => measured('Kibble on the wheel', round, { lost }));

    expect(verdictOf('race, lost: none', faults)?.isReached).toBe(false);
    expect(verdictOf('race, lost: none', faults.slice(0, 2))?.isReached).toBe(true);
  });

  it('that was not measured is not reached', () => {
    expect(verdictOf('schedule >= 0.5 x raw Redis', [])).toMatchObject({ found: undefined, isReached: false });
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

    expect(whoIsAhead(measurements, 100)).toEqual([
      { figure: 'effect late, p50', peer: 'BullMQ', ours: 'Kibble on the wheel', times: 2 },
    ]);
  });
});

describe('the command line', () => {
  it('measures everybody with few waiting, and some with many', () => {
    const [few, many] = planFrom([]).blocks;

    expect(few?.names.length).toBeGreaterThan(many?.names.length ?? 0);
    expect(many?.names).toContain('BullMQ');
  });

  it('chooses by parts of names', () => {
    expect(planFrom(['--only', 'bullmq', '--pending', '500']).blocks).toMatchObject([
      { pending: 500, names: ['BullMQ', 'BullMQ, Redis hz 500'] },
    ]);
  });

  it.each([[['--only', 'cron']], [['--rounds', '0']], [['--pending', 'many']], [['--fast']]])(
    'refuses %j',
    (args: string[]) => {
      expect(() => planFrom(args)).toThrow();
    },
  );
});
