import { expect, it } from 'vitest';
import { laneScene, recorded, spread } from '../../support/engine/lane-scene.ts';

const never = (): Promise<never> => new Promise(() => undefined);

/** On the wheel, with its one shard: rows that were committed and of which the index was never told, one after the other. */
const loseFiveBeside = async (
  hanging: Parameters<typeof laneScene>[0]['kinds'][number],
): Promise<readonly number[]> => {
  let nowMs = (): number => 0;
  const order = recorded('order', () => nowMs());
  const { timers, clock, rows, advance } = await laneScene({ kinds: [hanging, order] });
  nowMs = clock.nowMs;
  await timers.schedule(spread(hanging.kind, 400, { fromMs: clock.nowMs(), spanMs: 60_000 }));
  for (let at = 0; at < 5; at += 1) {
    await advance(5000);
    await rows.schedule([{ kind: 'order', subject: `lost-${at}`, owner: 'ann', dueAtMs: clock.nowMs() }]);
    await advance(7000);
  }
  return order.lateMs;
};

it('fires within seven seconds what the index was not told of, while hundreds of calls hang', async () => {
  const lateMs = await loseFiveBeside({ kind: 'refund', call: never, timeoutMs: 600_000 });
  expect(lateMs).toHaveLength(5);
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(7000);
});
