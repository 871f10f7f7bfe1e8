import type { Registry } from '@prometheus-io/client';
import {
  type EngineMeasurement,
  type IndexDifferences,
  latenessMs,
  type Observe,
  requeueReasons,
} from '../timer/model/engine-event.ts';
import type { Timer } from '../timer/model/timer.ts';
import { type Count, countIn, type Listeners, type Metric, seconds } from './metric-table.ts';

const FROM_A_MILLISECOND = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * Counts the engine's events. `kinds` are those that the game registered, so labels are few: no label ever contains a
 * player, a thing, or another unbounded value.
 */
export const engineMetrics = (registry: Registry, kinds: readonly string[], listeners?: Listeners): Observe =>
  countIn(registry, [...attempts(kinds), ...delays(kinds), ...ofTheIndex], listeners);

const attempts = (kinds: readonly string[]): readonly Metric<EngineMeasurement>[] => [
  {
    name: 'kibble_timer_lateness_seconds',
    help: 'From a timer being due to its firing, of timers that fired at their first attempt.',
    labels: ['kind'],
    buckets: FROM_A_MILLISECOND,
    zeros: kinds.map((kind) => ({ kind })),
    counts: {
      fired: ({ kind, timers, nowMs }, count) => {
        for (const timer of timers) if (timer.attempt === 0) count({ kind }, seconds(latenessMs(timer, nowMs)));
      },
    },
  },
  {
    name: 'kibble_timers_fired_total',
    help: 'Attempts to fire timers: completed, failed (and tried again), dead (given up), stuck (derived, and tried again).',
    labels: ['kind', 'outcome'],
    zeros: kinds.flatMap((kind) => ['completed', 'failed', 'dead', 'stuck'].map((outcome) => ({ kind, outcome }))),
    counts: {
      fired: ({ kind, timers }, count) => {
        if (timers.length > 0) count({ kind, outcome: 'completed' }, timers.length);
      },
      failed: ({ timer: { kind } }, count) => count({ kind, outcome: 'failed' }),
      dead: ({ timer: { kind } }, count) => count({ kind, outcome: 'dead' }),
      stuck: ({ timer: { kind } }, count) => count({ kind, outcome: 'stuck' }),
    },
  },
  {
    name: 'kibble_timers_retried_total',
    help: 'Attempts to fire timers that were not the first.',
    labels: ['kind'],
    zeros: kinds.map((kind) => ({ kind })),
    counts: {
      fired: ({ kind, timers }, count) => {
        const again = timers.filter(isRetry).length;
        if (again > 0) count({ kind }, again);
      },
      failed: ({ timer }, count) => isRetry(timer) && count({ kind: timer.kind }),
      dead: ({ timer }, count) => isRetry(timer) && count({ kind: timer.kind }),
      stuck: ({ timer }, count) => isRetry(timer) && count({ kind: timer.kind }),
    },
  },
];

const isRetry = ({ attempt }: Timer): boolean => attempt > 0;

const misfires = ['skipped', 'handed', 'missed'] as const;

const delays = (kinds: readonly string[]): readonly Metric<EngineMeasurement>[] => [
  {
    name: 'kibble_timers_swept_total',
    help: 'Overdue rows that the sweeper found; 0 in health.',
    counts: { swept: (event, count) => count({}, event.count) },
  },
  {
    name: 'kibble_timers_put_back_total',
    help: 'Timers that went back into the index without an attempt.',
    labels: ['reason'],
    zeros: requeueReasons.map((reason) => ({ reason })),
    counts: { requeued: (event, count) => count({ reason: event.reason }, event.count) },
  },
  {
    name: 'kibble_timers_deferred_total',
    help: 'Due timers whose kind had no room for them: moved to a later second in their rows.',
    labels: ['kind'],
    zeros: kinds.map((kind) => ({ kind })),
    counts: { deferred: (event, count) => count({ kind: event.kind }, event.count) },
  },
  {
    name: 'kibble_timers_misfired_total',
    help: 'Timers that came later than their policy lets them: skipped, handed to their handlers as misfires, and turns missed.',
    labels: ['kind', 'outcome'],
    zeros: kinds.flatMap((kind) => misfires.map((outcome) => ({ kind, outcome }))),
    counts: {
      misfired: (event, count) => {
        for (const outcome of misfires) count({ kind: event.kind, outcome }, event[outcome]);
      },
    },
  },
];

const differences = ['missing', 'misplaced', 'ghost'] as const;

const countDifferences = ({ missing, misplaced, ghosts: ghost }: IndexDifferences, count: Count): void => {
  const found = { missing, misplaced, ghost };
  for (const difference of differences) count({ difference }, found[difference]);
};

const ofTheIndex: readonly Metric<EngineMeasurement>[] = [
  {
    name: 'kibble_index_differences_found_total',
    help: 'Entries of the index that were not as their rows.',
    labels: ['difference'],
    zeros: differences.map((difference) => ({ difference })),
    counts: { differing: countDifferences },
  },
  {
    name: 'kibble_index_differences_healed_total',
    help: 'Of the differences found, those that were put right.',
    labels: ['difference'],
    zeros: differences.map((difference) => ({ difference })),
    counts: { reconciled: countDifferences },
  },
  {
    name: 'kibble_index_rebuild_seconds',
    help: 'Refills of the index from the rows.',
    buckets: [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    counts: { rebuilt: ({ tookMs }, count) => count({}, seconds(tookMs)) },
  },
];
