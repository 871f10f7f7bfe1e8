import { Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';
import { Activity } from '../../../server/ops/reads/activity.ts';
import { engineMetrics } from '../../../server/telemetry/engine-metrics.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';

const HOUR_MS = 3_600_000;
const observeWith = ({ listeners }: Activity) => engineMetrics(new Registry(), ['mail'], listeners);

it('adds up what was found differing in the index, for an hour', () => {
  let nowMs = 1_790_000_000_000;
  const activity = new Activity(() => nowMs);
  const observe = observeWith(activity);
  const found = (missing: number, ghosts = 0) => observe({ type: 'reconciled', missing, misplaced: 0, ghosts });
  found(2);
  found(0);
  found(1, 4);
  nowMs += HOUR_MS / 2;
  found(5);
  expect(activity.differences()).toEqual({ missing: 8, misplaced: 0, ghosts: 4 });
  nowMs += HOUR_MS / 2;
  expect(activity.differences()).toEqual({ missing: 5, misplaced: 0, ghosts: 0 });
  nowMs += HOUR_MS;
  expect(activity.differences()).toEqual({ missing: 0, misplaced: 0, ghosts: 0 });
});

it('knows the commands of an hour by ten seconds, with those in which nothing was asked', () => {
  const beganMs = 1_790_000_000_000;
  let nowMs = beganMs;
  const activity = new Activity(() => nowMs);
  expect(activity.commands()).toEqual({ fromMs: beganMs, everyMs: 10_000, perSecond: [] });
  activity.commanded(30);
  nowMs += 20_000;
  activity.commanded(5);
  expect(activity.commands().perSecond).toEqual([3, 0]);
  nowMs += HOUR_MS;
  activity.commanded(10);
  const { fromMs, perSecond } = activity.commands();
  expect(fromMs).toBe(beganMs + 20_000);
  expect([perSecond.length, perSecond[0], perSecond.at(-1)]).toEqual([360, 0.5, 0]);
});

it('takes lateness as the metric does: of first attempts, from the move of a timer into the past', () => {
  const nowMs = 1_790_000_000_000;
  const activity = new Activity(() => nowMs);
  const timer = { dueAtMs: nowMs - HOUR_MS, updatedAtMs: 0, attempt: 0 } as Timer;
  const observe = observeWith(activity);
  const fired = (timers: readonly Timer[]) => observe({ type: 'fired', kind: 'mail', nowMs, timers });
  fired([{ ...timer, attempt: 8 }]);
  expect(activity.lateness()).toEqual([]);
  fired([{ ...timer, updatedAtMs: nowMs - 5 }]);
  expect(activity.lateness()).toMatchObject([{ fired: 1 }]);
  expect(activity.lateness()[0]?.p99Ms).toBeLessThan(100);
});
