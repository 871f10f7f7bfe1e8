import type { Pool } from 'pg';
import type { Catalogue } from '../shared/catalogue.ts';
import { MemoryDueIndex } from './adapter/memory/memory-due-index.ts';
import { AdvisoryLock } from './adapter/postgres/advisory-lock.ts';
import { PostgresHomeStore } from './adapter/postgres/home-store.ts';
import { ItemInventory } from './adapter/postgres/item-inventory.ts';
import { surviveLostConnections } from './adapter/postgres/lost-connections.ts';
import { PostgresTimerStore } from './adapter/postgres/timer-store.ts';
import { random } from './adapter/random.ts';
import { createRedisClient } from './adapter/redis/redis-client.ts';
import { RedisDueIndex } from './adapter/redis/redis-due-index.ts';
import { RedisEventChannel } from './adapter/redis/redis-event-channel.ts';
import { systemClock } from './adapter/system-clock.ts';
import { limits } from './config.ts';
import { FEEDING } from './domain/timers-of.ts';
import { GameHomes } from './home/game-homes.ts';
import { HomeService } from './home/home-service.ts';
import type { Inventory } from './home/inventory.ts';
import { Lifecycle } from './lifecycle.ts';
import { HomePlugin } from './room/home-plugin.ts';
import { rulesOf } from './rules.ts';
import type { EngineLog } from './timer/engine-log.ts';
import { TimerEngine } from './timer/timer-engine.ts';
import type { TimerKind } from './timer/timer-kind.ts';
import type { TimerService } from './timer/timer-service.ts';

export interface KibbleOptions<Auth = { readonly sub: string }> {
  /** The game's own pool. Kibble keeps its tables in a schema of its own and never ends the pool. */
  readonly pool: Pool;
  /** The player that `onAuth`'s answer stands for. */
  readonly playerId: (auth: Auth) => string;
  /** Default `kibble`. */
  readonly schema?: string;
  /** URL of a Redis 7 or newer, or several of a Cluster with commas. Without one: the timing wheel, for one process. */
  readonly redis?: string;
  readonly redisPrefix?: string;
  /** `gateway` leaves the timers to others, which needs Redis. Default `all`; `worker` is an `all` without rooms. */
  readonly role?: 'all' | 'gateway' | 'worker';
  /** Of the index in Redis. Default 16. */
  readonly shards?: number;
  /** The content of a rules file. Throws `RulesRefused` with all faults. */
  readonly rules?: unknown;
  /** Where items are kept. Default: a table of ours. */
  readonly inventory?: Inventory;
  /** The game's own timers. */
  readonly kinds?: readonly TimerKind[];
  readonly timerRetentionMs?: number;
  /** A pino logger, or anything like it. Default: silent. */
  readonly log?: EngineLog;
}

export interface Kibble {
  readonly catalogue: Catalogue;
  /** For the game's own server code. */
  readonly homes: GameHomes;
  readonly timers: TimerService;
  readonly health: KibbleHealth;
  /** For `defineServer({ database })`: boot before the server listens; shut down to drain. */
  readonly lifecycle: { boot(): Promise<void>; shutdown(): Promise<void> };
  /** For rooms of the game's own: each client follows its own home. */
  plugin(): HomePlugin;
  /** For rooms that show homes themselves. */
  readonly service: HomeService;
}

/** What a probe may ask at any time. */
export interface KibbleHealth {
  /** Undefined before `boot` has ended and after `shutdown` began; else what works worse than it should. */
  degraded(): readonly 'redis'[] | undefined;
}

/**
 * Kibble for a game's own server. Nothing is opened before `lifecycle.boot()`. Throws `RulesRefused`, or `TypeError`
 * for a schema or a prefix that is no plain name.
 */
export const createKibble = <Auth = { readonly sub: string }>(options: KibbleOptions<Auth>): Kibble => {
  const { pool, schema = 'kibble', log = silent, kinds = [] } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new TypeError('schema must be a plain lower-case name');
  const catalogue = rulesOf(options.rules);
  surviveLostConnections(pool, log);
  const timerStore = new PostgresTimerStore({ pool, schema });
  const store = new PostgresHomeStore({
    pool,
    schema,
    timers: timerStore,
    inventory: options.inventory ?? new ItemInventory(schema),
    limits: limits.transaction,
  });
  const name = random.uniqueName();
  const index = dueIndexOf(options, name);
  const channel = channelOf(options, name);
  const engine = new TimerEngine({
    store: timerStore,
    index,
    clock: systemClock,
    log,
    exclusive: new AdvisoryLock(pool, `${schema}.sweep`),
    retentionMs: options.timerRetentionMs ?? DEFAULT_RETENTION_MS,
  });
  const onFault = (message: string, error: unknown): void => log.error({ err: error }, message);
  const service = new HomeService({
    catalogue,
    store,
    tellIndex: (changes) => {
      engine.indexWriter.apply(changes).catch((error: unknown) => onFault('the index was not told', error));
    },
    limits: { ...limits.writePath, pageMax: limits.events.pageMax },
    onFault,
    ...(channel ? { channel } : {}),
  });
  engine.register({ kind: FEEDING, derived: true, settle: (owners) => service.settle(owners) });
  for (const kind of kinds) engine.register(kind);
  const lifecycle = new Lifecycle({
    ...{ pool, schema, log, engine, index, service, channel },
    fires: options.role !== 'gateway',
  });
  return {
    catalogue,
    homes: new GameHomes(service),
    timers: engine.timers,
    service,
    lifecycle,
    health: { degraded: () => lifecycle.degraded() },
    plugin: () =>
      new HomePlugin({ homes: service, catalogue, playerId: options.playerId, limits: limits.events, onFault }),
  };
};

const DEFAULT_RETENTION_MS = 30 * 86_400_000;

const silent: EngineLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

type RedisOptions = Pick<KibbleOptions, 'redis' | 'redisPrefix' | 'shards'>;

const dueIndexOf = ({ redis, redisPrefix = 'kibble', shards = 16 }: RedisOptions, name: string) =>
  redis === undefined
    ? new MemoryDueIndex(systemClock)
    : new RedisDueIndex({
        client: createRedisClient(redis),
        clock: systemClock,
        prefix: redisPrefix,
        shards,
        consumer: name,
      });

const channelOf = ({ redis, redisPrefix = 'kibble', shards = 16 }: RedisOptions, name: string) =>
  redis === undefined
    ? undefined
    : new RedisEventChannel({ client: createRedisClient(redis), prefix: redisPrefix, shards, process: name });
