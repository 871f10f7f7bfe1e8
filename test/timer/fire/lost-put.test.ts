import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import { runningEngine } from '../../support/engine/running-engine.ts';
import { recordEffects } from '../../support/engine/timer-engine.ts';
import { createTimerDatabase, insertTimers } from '../../support/postgres/timer-database.ts';

const SHARDS = 4;

describe.skipIf(inject('redisUrl') === '')('a committed row of which Redis was never told', () => {
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

  /** A started node with a whole index. */
  const start = async (
    register: (engine: Awaited<ReturnType<typeof runningEngine>>['engine']) => void,
    prefix: string,
  ) => {
    const node = await runningEngine({ pool: database.pool, prefix, shards: SHARDS });
    stops.push(node.stop);
    register(node.engine);
    await node.engine.start();
    return node;
  };
  /** As a process leaves it that died between its commit and its put. */
  const commitAlone = async (kind: string, owner: string, nowMs: number): Promise<void> => {
    await database.pool.query(insertTimers(`values ('${kind}', 'lost', '${owner}', ${nowMs})`));
  };
  const lateMs = async (): Promise<number> => {
    const { rows } = await database.pool.query(
      'select (e.at - t.due_at)::int as late from effect e join kibble.timer t on t.id = e.timer',
    );
    expect(rows).toHaveLength(1);
    return rows[0].late;
  };

  it('fires within seven seconds while a handler hangs in another shard', async () => {
    const entered = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const node = await start((engine) => {
      engine.register({ kind: 'order', fire: recordEffects });
      engine.register({
        kind: 'hanging',
        call: async () => {
          entered.resolve();
          await released.promise;
        },
      });
    }, random.uniqueName());
    if (!node.engine.isIndexWhole) await node.seen('rebuilt', 1);
    const nowMs = await node.store.nowMs();
    await node.engine.timers.schedule([{ kind: 'hanging', subject: 'h', owner: 'ann', dueAtMs: nowMs }]);
    await entered.promise;
    const shard = node.index.inUse.shardOf('ann');
    const owner = ['bob', 'cleo', 'dan', 'eve'].find((name) => node.index.inUse.shardOf(name) !== shard) ?? '';
    const fired = node.seen('fired', 1);
    await commitAlone('order', owner, nowMs);
    await fired;
    expect(await lateMs()).toBeLessThanOrEqual(7000);
    released.resolve();
  });

  it('fires on the node that has its kind, also when another one sweeps', async () => {
    const prefix = random.uniqueName();
    const sweeping = await start((engine) => engine.register({ kind: 'other', fire: recordEffects }), prefix);
    if (!sweeping.engine.isIndexWhole) await sweeping.seen('rebuilt', 1);
    const firing = await start((engine) => engine.register({ kind: 'order', fire: recordEffects }), prefix);
    const fired = firing.seen('fired', 1);
    await commitAlone('order', 'ann', await firing.store.nowMs());
    await fired;
    expect(await lateMs()).toBeLessThanOrEqual(7000);
  });
});
