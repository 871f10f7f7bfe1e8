import { Registry } from '@prometheus-io/client';
import { beforeEach, expect, it } from 'vitest';
import { engineMetrics } from '../../server/telemetry/engine-metrics.ts';
import type { Observe } from '../../server/timer/model/engine-event.ts';
import type { Timer } from '../../server/timer/model/timer.ts';
import { valueIn } from '../support/metrics/metrics.ts';

const DUE_MS = 1_700_000_000_000;

const timer = (fields: Partial<Timer> = {}): Timer => ({
  id: '7',
  kind: 'order',
  subject: 's',
  owner: 'ann',
  state: 'scheduled',
  revision: 1,
  attempt: 0,
  turn: 1,
  claims: 0,
  claimedAtMs: undefined,
  isPaused: false,
  dueAtMs: DUE_MS,
  fireAtMs: DUE_MS,
  createdAtMs: 0,
  updatedAtMs: 0,
  payload: null,
  recurrence: undefined,
  misfire: undefined,
  lateness: undefined,
  lastError: undefined,
  result: undefined,
  ...fields,
});

let registry: Registry;
let observe: Observe;
const value = async (name: string, labels: Record<string, string> = {}): Promise<number | undefined> =>
  valueIn(await registry.metrics(), name, labels);

beforeEach(() => {
  registry = new Registry();
  observe = engineMetrics(registry, ['order']);
});

it('measures lateness from the due time, in seconds', async () => {
  observe({ type: 'fired', kind: 'order', timers: [timer(), timer()], nowMs: DUE_MS + 250 });

  expect(await value('kibble_timer_lateness_seconds_sum', { kind: 'order' })).toBe(0.5);
  expect(await value('kibble_timer_lateness_seconds_bucket', { kind: 'order', le: '0.1' })).toBe(0);
  expect(await value('kibble_timer_lateness_seconds_bucket', { kind: 'order', le: '0.25' })).toBe(2);
});

it('does not call a timer late that was moved into the past, or one that failed before', async () => {
  const movedAtMs = DUE_MS + 3_600_000;
  observe({ type: 'fired', kind: 'order', timers: [timer({ updatedAtMs: movedAtMs })], nowMs: movedAtMs + 10 });
  observe({ type: 'fired', kind: 'order', timers: [timer({ attempt: 2 })], nowMs: DUE_MS + 45_000 });

  expect(await value('kibble_timer_lateness_seconds_sum', { kind: 'order' })).toBe(0.01);
  expect(await value('kibble_timer_lateness_seconds_count', { kind: 'order' })).toBe(1);
  expect(await value('kibble_timers_retried_total', { kind: 'order' })).toBe(1);
});

it('counts attempts by kind and outcome', async () => {
  const error = new Error('no');
  observe({ type: 'fired', kind: 'order', timers: [timer(), timer()], nowMs: DUE_MS });
  observe({ type: 'failed', timer: timer(), error });
  observe({ type: 'dead', timer: timer({ attempt: 15 }), error });
  observe({ type: 'stuck', timer: timer({ kind: 'feeding' }), error });

  const fired = (kind: string, outcome: string) => value('kibble_timers_fired_total', { kind, outcome });
  expect(await fired('order', 'completed')).toBe(2);
  expect(await fired('order', 'failed')).toBe(1);
  expect(await fired('order', 'dead')).toBe(1);
  expect(await fired('feeding', 'stuck')).toBe(1);
});

it('counts what the safety nets did', async () => {
  observe({ type: 'swept', count: 3 });
  observe({ type: 'requeued', reason: 'locked', count: 2 });
  observe({ type: 'differing', missing: 5, misplaced: 1, ghosts: 2 });
  observe({ type: 'reconciled', missing: 4, misplaced: 1, ghosts: 2 });
  observe({ type: 'rebuilt', count: 1000, tookMs: 1500 });

  expect(await value('kibble_timers_swept_total')).toBe(3);
  expect(await value('kibble_timers_put_back_total', { reason: 'locked' })).toBe(2);
  expect(await value('kibble_index_differences_found_total', { difference: 'missing' })).toBe(5);
  expect(await value('kibble_index_differences_healed_total', { difference: 'missing' })).toBe(4);
  expect(await value('kibble_index_differences_found_total', { difference: 'ghost' })).toBe(2);
  expect(await value('kibble_index_rebuild_seconds_sum')).toBe(1.5);
});

it('shows what never happened as 0, so that the first time is an increase', async () => {
  expect(await value('kibble_timers_fired_total', { kind: 'order', outcome: 'dead' })).toBe(0);
  expect(await value('kibble_index_differences_found_total', { difference: 'misplaced' })).toBe(0);
  expect(await value('kibble_timers_swept_total')).toBe(0);
});

it('counts what came too late by what became of it, from 0 on', async () => {
  expect(await value('kibble_timers_misfired_total', { kind: 'order', outcome: 'skipped' })).toBe(0);
  observe({ type: 'misfired', kind: 'order', skipped: 2, handed: 0, missed: 5 });
  expect(await value('kibble_timers_misfired_total', { kind: 'order', outcome: 'skipped' })).toBe(2);
  expect(await value('kibble_timers_misfired_total', { kind: 'order', outcome: 'missed' })).toBe(5);
});
