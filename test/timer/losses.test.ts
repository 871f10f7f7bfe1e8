import { Redis } from 'ioredis';
import { expect, inject, it } from 'vitest';
import { random } from '../../server/adapter/machine/random.ts';
import type { Observe } from '../../server/timer/model/engine-event.ts';
import type { FireKind } from '../../server/timer/model/timer-kind.ts';
import { tries } from '../proof/tries.ts';
import { runningEngine } from '../support/engine/running-engine.ts';
import { recordEffects } from '../support/engine/timer-engine.ts';
import { createTimerDatabase } from '../support/postgres/timer-database.ts';
import { prove } from '../support/properties/prove.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';

const TIMERS = tries({ test: 10_000, proof: 100_000 });
const LOSSES = 20;
const BULK = 5_000;
const LEAD_MS = tries({ test: 1_000, proof: 10_000 });
const SPAN_MS = tries({ test: 5_000, proof: 25_000 });

/** Fires all timers on two engines, emptying Redis after each twentieth of them. */
const fireWithLosses = async (redis: RedisServer, database: Awaited<ReturnType<typeof createTimerDatabase>>) => {
  const emptier = new Redis(redis.url);
  const allFired = Promise.withResolvers<void>();
  let [fired, losses] = [0, 0];
  const fire: FireKind['fire'] = async (timers, tx, nowMs) => {
    const effects = await recordEffects(timers, tx, nowMs);
    fired += timers.length;
    const isLossDue = fired >= ((losses + 1) * TIMERS) / (LOSSES + 1);
    if (isLossDue && losses < LOSSES) {
      losses += 1;
      await emptier.flushall();
    }
    return effects;
  };
  let committed = 0;
  const observe: Observe = (event) => {
    if (event.type !== 'fired') return;
    committed += event.timers.length;
    if (committed >= TIMERS) allFired.resolve();
  };
  const options = { pool: database.pool, prefix: random.uniqueName(), url: redis.url, observe };
  const nodes = [await runningEngine(options), await runningEngine(options)];
  for (const { engine } of nodes) {
    engine.register({ kind: 'order', fire });
    await engine.start();
  }
  const [first] = nodes;
  const nowMs = (await first?.store.nowMs()) ?? 0;
  for (let from = 0; from < TIMERS; from += BULK) {
    await first?.engine.timers.schedule(
      Array.from({ length: BULK }, (_, at) => ({
        kind: 'order',
        subject: `order-${from + at}`,
        owner: `player-${(from + at) % 10_000}`,
        dueAtMs: nowMs + LEAD_MS + Math.floor(((from + at) * SPAN_MS) / TIMERS),
      })),
    );
  }
  await allFired.promise;
  for (const { stop } of nodes) await stop();
  emptier.disconnect();
  return losses;
};

it.skipIf(inject('redisUrl') === '')(
  `loses none of ${TIMERS} timers though Redis loses everything twenty times while they fire`,
  { timeout: 300_000 },
  async (context) => {
    const database = await createTimerDatabase(inject('postgresUrl'));
    await database.pool.query('create table effect (timer bigint, at bigint)');
    // A server of its own: the others' indexes are not to be lost.
    const redis = await startRedis();
    expect(await fireWithLosses(redis, database)).toBe(LOSSES);

    const { rows } = await database.pool.query(`select count(*)::int as effects, count(distinct e.timer)::int as timers,
        min(e.at - t.due_at)::int as least_late_ms, max(e.at - t.due_at)::int as most_late_ms
      from effect e join kibble.timer t on t.id = e.timer`);
    const { effects, timers, least_late_ms: leastLateMs, most_late_ms: mostLateMs } = rows[0];
    expect({ effects, timers }).toEqual({ effects: TIMERS, timers: TIMERS });
    expect(leastLateMs).toBeGreaterThanOrEqual(0);
    await redis.stop();
    await database.dispose();
    const seen = `max ${mostLateMs} ms late`;
    prove(context, { row: 5, tries: TIMERS, of: 'timers through losses of the index', seen });
  },
);
