import type { Pool } from 'pg';
import { inject } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { AdvisoryLock } from '../../../server/adapter/postgres/advisory-lock.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresGenerations } from '../../../server/adapter/postgres/timer/generations.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { RedisLiveNodes } from '../../../server/adapter/redis/redis-live-nodes.ts';
import type { EngineLog } from '../../../server/runtime/engine-log.ts';
import type { Exclusive } from '../../../server/runtime/exclusive.ts';
import type { LiveNodes } from '../../../server/timer/dispatch/live-nodes.ts';
import type { Generations } from '../../../server/timer/index/generation.ts';
import type { EngineMeasurement, Observe } from '../../../server/timer/model/engine-event.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { TimerEngine } from '../../../server/timer/timer-engine.ts';
import { silentLog } from '../log/logs.ts';
import { startRedisIndex } from './due-index.ts';
import { type IndexFaults, sabotagedIndex } from './sabotaged.ts';

interface Options {
  readonly pool: Pool;
  readonly prefix: string;
  readonly shards?: number;
  readonly nodes?: LiveNodes;
  /** Default: the lock that the nodes of the database share. */
  readonly exclusive?: Exclusive;
  /** Default: that of the run. */
  readonly url?: string;
  readonly generations?: Generations;
  /** Methods of the index that do something else, for the engine. */
  readonly faults?: IndexFaults;
  /** Default: silent. */
  readonly log?: EngineLog;
  /** Changes the text of a script, as a fault would. */
  readonly plant?: (lua: string) => string;
  /** The store as a fault would have it. */
  readonly sabotage?: (store: TimerStore) => TimerStore;
  readonly observe?: Observe;
}

/** A node's engine on Postgres, Redis and the system's clock, with its loops; not started. */
export const runningEngine = async (options: Options) => {
  const { pool, prefix, shards = 4, nodes, exclusive, url = inject('redisUrl'), faults = {} } = options;
  const { log = silentLog, plant, sabotage = (store) => store } = options;
  const { index, client, dispose } = await startRedisIndex({
    url,
    prefix,
    shards,
    isBegun: false,
    ...(plant && { plant }),
  });
  const store = new PostgresTimerStore(new Database({ pool, schema: 'kibble' }));
  const listeners = new Set<Observe>(options.observe ? [options.observe] : []);
  const engine = new TimerEngine({
    store: sabotage(store),
    index: sabotagedIndex(index, faults),
    clock: systemClock,
    log,
    retentionMs: 1000,
    generations: options.generations ?? new PostgresGenerations(new Database({ pool, schema: 'kibble' })),
    nodes: nodes ?? new RedisLiveNodes({ client, inUse: index.inUse, self: random.uniqueName() }),
    exclusive: exclusive ?? new AdvisoryLock({ pool, name: 'kibble.sweep', clock: systemClock }),
    observe: (event) => {
      for (const listener of listeners) listener(event);
    },
  });
  /** Resolves when events of this type have counted so many timers. */
  const seen = (type: EngineMeasurement['type'], count: number): Promise<void> =>
    new Promise((resolve) => {
      let left = count;
      listeners.add((event) => {
        if (event.type === type) left -= 'timers' in event ? event.timers.length : 1;
        if (left <= 0) resolve();
      });
    });
  const stop = async (): Promise<void> => {
    await engine.stop();
    await dispose();
  };
  return { engine, index, client, store, seen, stop };
};

/** A process that never leads: its safety net does nothing while the index is whole, and so hides nothing. */
export const neverExclusive: Exclusive = { tryLock: async () => false, release: async () => undefined };

/** So many orders, a millisecond apart, of seventeen players. */
export const orders = (count: number, delayMs: number, nowMs: number) =>
  Array.from({ length: count }, (_, at) => ({
    kind: 'order',
    subject: `s${at}-${delayMs}`,
    owner: `player-${at % 17}`,
    dueAtMs: nowMs + delayMs + at,
  }));
