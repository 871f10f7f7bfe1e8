import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import { spread } from '../../support/engine/lane-scene.ts';
import { runningEngine } from '../../support/engine/running-engine.ts';
import { recordEffects } from '../../support/engine/timer-engine.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';

describe.skipIf(inject('redisUrl') === '')('on Redis, beside two hundred calls to a service that hangs,', () => {
  let database: Awaited<ReturnType<typeof createTimerDatabase>>;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    database = await createTimerDatabase(inject('postgresUrl'));
    await database.pool.query('create table effect (timer bigint, at bigint)');
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await database.dispose();
  });

  it.each([1, 3])('another kind fires all the same, with %s engines', async (engines) => {
    const prefix = random.uniqueName();
    const began: string[] = [];
    const hanging = Promise.withResolvers<undefined>();
    const nodes = await Promise.all(
      Array.from({ length: engines }, async () => {
        const node = await runningEngine({ pool: database.pool, prefix });
        stops.push(node.stop);
        node.engine.register({ kind: 'order', fire: recordEffects });
        node.engine.register({
          kind: 'refund',
          call: ({ idempotencyKey }) => {
            began.push(idempotencyKey);
            return hanging.promise;
          },
        });
        await node.engine.start();
        return node;
      }),
    );
    await vi.waitFor(() => expect(nodes.every(({ engine }) => engine.isIndexWhole)).toBe(true), { timeout: 5000 });
    const [first] = nodes;
    const fromMs = (await first?.store.nowMs()) ?? 0;
    await first?.engine.timers.schedule(spread('refund', 200, { fromMs }));
    await vi.waitFor(() => expect(began.length).toBeGreaterThanOrEqual(16), { timeout: 5000 });
    const soonMs = (await first?.store.nowMs()) ?? 0;
    await first?.engine.timers.schedule(spread('order', 40, { fromMs: soonMs + 200, spanMs: 2000 }));
    const fired = async () => (await database.pool.query('select from effect')).rowCount;
    // Not one of the calls has ended by then. How late the others are is measured by `npm run bench -- isolation`.
    await vi.waitFor(async () => expect(await fired()).toBe(40), { timeout: 8000 });
    expect(new Set(began).size).toBe(began.length);
    // No process has more calls than slots, and nothing of the rest is overdue or unacked for long.
    expect(began.length).toBeLessThanOrEqual(16 * engines);
    expect(Math.max(...((await first?.index.queue.oldestUnackedMs()) ?? []))).toBeLessThan(5000);
    hanging.resolve(undefined);
  });
});
