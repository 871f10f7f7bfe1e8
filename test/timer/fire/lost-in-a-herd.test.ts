import { expect, it } from 'vitest';
import type { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { laneScene, recorded, spread } from '../../support/engine/lane-scene.ts';

const HERD = 10_000;
const BATCH_MS = 400;
const STEP_MS = 100;
const LONGEST_MS = 60_000;

/** A handler that takes its time, by the scene's clock. */
const slowly = (clockOf: () => ManualClock) => {
  let [fired, lastAtMs] = [0, 0];
  const fire = async (timers: readonly unknown[]): Promise<undefined> => {
    await new Promise<void>((resolve) => clockOf().after(BATCH_MS, resolve));
    fired += timers.length;
    lastAtMs = clockOf().nowMs();
    return undefined;
  };
  return { kind: 'sheep', fire, fired: () => fired, lastAtMs: () => lastAtMs };
};

it('a timer whose put was lost in a herd fires within seven seconds after that shard’s herd is read', {
  timeout: 60_000,
}, async () => {
  const herd = slowly(() => scene.clock);
  const mail = recorded('mail', () => scene.clock.nowMs());
  const scene = await laneScene({ kinds: [herd, mail] });
  const dueAtMs = scene.nowMs + 1000;
  await scene.timers.schedule(spread('sheep', HERD, { fromMs: dueAtMs }));
  // As a process leaves it that died between its commit and its put.
  await scene.rows.schedule([{ kind: 'mail', subject: 'lost', owner: 'ann', dueAtMs }]);

  for (let passedMs = 0; mail.lateMs.length === 0 && passedMs < LONGEST_MS; passedMs += STEP_MS) {
    await scene.advance(STEP_MS);
  }

  expect(herd.fired()).toBe(HERD);
  const herdMs = herd.lastAtMs() - dueAtMs;
  // Else it would say nothing of herds.
  expect(herdMs).toBeGreaterThan(7000);
  expect(mail.lateMs).toEqual([expect.any(Number)]);
  expect((mail.lateMs[0] ?? Number.NaN) - herdMs).toBeGreaterThan(0);
  expect((mail.lateMs[0] ?? Number.NaN) - herdMs).toBeLessThanOrEqual(7000);
  await scene.engine.stop();
});
