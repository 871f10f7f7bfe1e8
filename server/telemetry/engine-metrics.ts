import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import { type EngineEvent, type IndexDifferences, type Observe, requeueReasons } from '../timer/model/engine-event.ts';
import type { Timer } from '../timer/model/timer.ts';
import { seconds } from './seconds.ts';

const FROM_A_MILLISECOND = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The engine's metrics: what its events say. `kinds` are those that the game registered, so their labels are few. */
export const engineMetrics = (registry: Registry, kinds: readonly string[]): Observe => {
  const metrics = metricsIn(registry);
  beginAtZero(metrics, kinds);
  return (event: EngineEvent): void => {
    switch (event.type) {
      case 'fired':
        attempted(metrics, event.timers, { kind: event.kind, outcome: 'completed' });
        for (const timer of event.timers) {
          if (timer.attempt === 0)
            metrics.lateness.observe({ kind: event.kind }, seconds(latenessMs(timer, event.nowMs)));
        }
        break;
      case 'failed':
      case 'dead':
      case 'stuck':
        attempted(metrics, [event.timer], { kind: event.timer.kind, outcome: event.type });
        break;
      case 'requeued':
        metrics.putBack.inc({ reason: event.reason }, event.count);
        break;
      case 'deferred':
        metrics.deferred.inc({ kind: event.kind }, event.count);
        break;
      case 'misfired':
        for (const outcome of misfires) metrics.misfired.inc({ kind: event.kind, outcome }, event[outcome]);
        break;
      case 'swept':
        metrics.swept.inc(event.count);
        break;
      case 'differing':
        differences(metrics.found, event);
        break;
      case 'reconciled':
        differences(metrics.healed, event);
        break;
      case 'rebuilt':
        metrics.rebuilds.observe(seconds(event.tookMs));
        break;
      default:
        event satisfies never;
    }
  };
};

const misfires = ['skipped', 'handed', 'missed'] as const;

type Metrics = ReturnType<typeof metricsIn>;

const metricsIn = (registry: Registry) => {
  const registers = [registry];
  return {
    lateness: new Histogram({
      name: 'kibble_timer_lateness_seconds',
      help: 'From a timer being due to its firing, of timers that fired at their first attempt.',
      labelNames: ['kind'],
      buckets: FROM_A_MILLISECOND,
      registers,
    }),
    fired: new Counter({
      name: 'kibble_timers_fired_total',
      help: 'Attempts to fire timers: completed, failed (and tried again), dead (given up), stuck (derived, and tried again).',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    retried: new Counter({
      name: 'kibble_timers_retried_total',
      help: 'Attempts to fire timers that were not the first.',
      labelNames: ['kind'],
      registers,
    }),
    swept: new Counter({
      name: 'kibble_timers_swept_total',
      help: 'Overdue rows that the sweeper found; 0 in health.',
      registers,
    }),
    putBack: new Counter({
      name: 'kibble_timers_put_back_total',
      help: 'Timers that went back into the index without an attempt.',
      labelNames: ['reason'],
      registers,
    }),
    deferred: new Counter({
      name: 'kibble_timers_deferred_total',
      help: 'Due timers whose kind had no room for them: moved to a later second in their rows.',
      labelNames: ['kind'],
      registers,
    }),
    misfired: new Counter({
      name: 'kibble_timers_misfired_total',
      help: 'Timers that came later than their policy lets them: skipped, handed to their handlers as misfires, and turns missed.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    ...indexMetricsIn(registers),
  };
};

const indexMetricsIn = (registers: Registry[]) => ({
  found: new Counter({
    name: 'kibble_index_differences_found_total',
    help: 'Entries of the index that were not as their rows.',
    labelNames: ['difference'],
    registers,
  }),
  healed: new Counter({
    name: 'kibble_index_differences_healed_total',
    help: 'Of the differences found, those that were put right.',
    labelNames: ['difference'],
    registers,
  }),
  rebuilds: new Histogram({
    name: 'kibble_index_rebuild_seconds',
    help: 'Refills of the index from the rows.',
    buckets: [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  }),
});

/** What has not been counted yet has no rate, and an alert on it could not fire the first time. */
const beginAtZero = (
  { found, healed, putBack, deferred, misfired, lateness, retried, fired }: Metrics,
  kinds: readonly string[],
): void => {
  for (const counter of [found, healed]) differences(counter, { missing: 0, misplaced: 0, ghosts: 0 });
  for (const reason of requeueReasons) putBack.inc({ reason }, 0);
  for (const kind of kinds) {
    lateness.zero({ kind });
    retried.inc({ kind }, 0);
    deferred.inc({ kind }, 0);
    for (const outcome of misfires) misfired.inc({ kind, outcome }, 0);
    for (const outcome of outcomes) fired.inc({ kind, outcome }, 0);
  }
};

const attempted = (
  { fired, retried }: Metrics,
  timers: readonly Timer[],
  { kind, outcome }: { readonly kind: string; readonly outcome: string },
): void => {
  if (timers.length === 0) return;
  fired.inc({ kind, outcome }, timers.length);
  const again = timers.filter(({ attempt }) => attempt > 0).length;
  if (again > 0) retried.inc({ kind }, again);
};

const differences = (counter: Counter<'difference'>, { missing, misplaced, ghosts }: IndexDifferences): void => {
  counter.inc({ difference: 'missing' }, missing);
  counter.inc({ difference: 'misplaced' }, misplaced);
  counter.inc({ difference: 'ghost' }, ghosts);
};

const outcomes = ['completed', 'failed', 'dead', 'stuck'];

/** A timer that was moved into the past is not late for it: nobody could have fired it before. */
const latenessMs = ({ dueAtMs, updatedAtMs, lateness }: Timer, nowMs: number): number =>
  // What was written when it was judged late is no reason to call it punctual.
  Math.max(0, nowMs - (lateness ? dueAtMs : Math.max(dueAtMs, updatedAtMs)));
