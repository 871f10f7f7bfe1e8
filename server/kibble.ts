import type { Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import type { Catalogue } from '../shared/catalogue.ts';
import { systemClock } from './adapter/machine/system-clock.ts';
import { AdvisoryLock } from './adapter/postgres/advisory-lock.ts';
import { PostgresConsumerStore } from './adapter/postgres/home/consumer-store.ts';
import { PostgresHomeStore } from './adapter/postgres/home/home-store.ts';
import { ItemInventory } from './adapter/postgres/home/item-inventory.ts';
import { surviveLostConnections } from './adapter/postgres/lost-connections.ts';
import { PostgresClockRecord } from './adapter/postgres/timer/clock-record.ts';
import { PostgresTimerCounts } from './adapter/postgres/timer/timer-counts.ts';
import { PostgresTimerStore } from './adapter/postgres/timer/timer-store.ts';
import { FEEDING } from './domain/timers-of.ts';
import { GameHomes } from './home/game-homes.ts';
import { HomeService } from './home/home-service.ts';
import type { Consumer } from './home/log/consumer.ts';
import { Consumers } from './home/log/consumers.ts';
import type { Homes } from './home/model/homes.ts';
import type { Inventory } from './home/model/inventory.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { Activity } from './ops/reads/activity.ts';
import { HomePlugin } from './room/home-plugin.ts';
import { alwaysExclusive } from './runtime/always-exclusive.ts';
import type { EngineLog } from './runtime/engine-log.ts';
import { ManualClock } from './runtime/manual-clock.ts';
import { limits } from './settings/config.ts';
import { rulesOf } from './settings/rules.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { ClockGuard } from './timer/clock/clock-guard.ts';
import { type ClockCare, ClockWatch } from './timer/clock/clock-watch.ts';
import type { IndexCare } from './timer/index-care.ts';
import type { TimerKind } from './timer/model/timer-kind.ts';
import { TimerEngine } from './timer/timer-engine.ts';
import type { TimerService } from './timer/timer-service.ts';
import { Boot, homesOnceBooted, onceBooted } from './wiring/boot.ts';
import { consoleLog, silent } from './wiring/console-log.ts';
import { fireConnectionsOf } from './wiring/fire-connections.ts';
import { homeCare, reportHealed } from './wiring/home-care.ts';
import { indexOf } from './wiring/index-of.ts';
import { Lifecycle } from './wiring/lifecycle.ts';
import { type Ops, opsOf } from './wiring/ops-of.ts';
import type { Trouble } from './wiring/troubles.ts';

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
  /** Of the index in Redis, when there is none yet; later its own count is in force. Default 16. */
  readonly shards?: number;
  /** The content of a rules file. Throws `RulesRefused` with all faults. */
  readonly rules?: unknown;
  /** Where items are kept. Default: a table of ours. */
  readonly inventory?: Inventory;
  /** The game's own timers. */
  readonly kinds?: readonly TimerKind[];
  /** Who hears of everything that happens to all players, outside of the write path. A gateway has none. */
  readonly consumers?: readonly Consumer[];
  /** How long events are kept, and with them the answers to commands sent again. Default 90 days. */
  readonly eventRetentionMs?: number;
  /** How long finished timers and feedings are kept. Default 30 days. */
  readonly timerRetentionMs?: number;
  /** At shutdown: how long calls of the game's own timers may go on before they are aborted. Default 20 s. */
  readonly drainMs?: number;
  /** For a game's own tests: time stands still until it is moved, and nothing fires but in `runDue()`. */
  readonly clock?: ManualClock;
  /** A pino logger, or anything like it; `silent` for nothing at all. Default: warnings and errors on the console. */
  readonly log?: EngineLog;
  /** Where the metrics go, of `@prometheus-io/client`. Default: a registry of this Kibble's own, `kibble.metrics`. */
  readonly metrics?: Registry;
}

export { HomeState, PetState } from '../shared/home-state.ts';
export { OutcomeUnknown } from './home/model/store-fault.ts';
export type * from './public-types.ts';
export { RulesRefused } from './settings/rules.ts';
export { NotRetryable } from './timer/fire/attempt/not-retryable.ts';
export { BootRefused } from './wiring/boot.ts';
export { ManualClock, silent };

export interface Kibble {
  readonly catalogue: Catalogue;
  /** For the game's own server code. */
  readonly homes: GameHomes;
  readonly timers: TimerService;
  /** For operators: another number of shards, a refill, a comparison with the rows, what there is. */
  readonly index: IndexCare;
  /** For operators: whether the database's clock is trusted, and the word that it is right. */
  readonly clock: ClockCare;
  /** What operators may do: `addOpsApi` serves it. */
  readonly ops: Ops;
  readonly health: KibbleHealth;
  /** What a scrape reads: `await kibble.metrics.metrics()`. Of its labels none names a player. */
  readonly metrics: Registry;
  /** For `defineServer({ database })`, which boots it; `server.onShutdown` is the place for `shutdown`, which drains. */
  readonly lifecycle: { boot(): Promise<void>; shutdown(): Promise<void> };
  /** The database's time, in whole epoch milliseconds: what due times are compared with. */
  now(): Promise<number>;
  /** For tests with a `clock`, after `boot`: fires all that is due by it, also what comes due by that; then consumers read. */
  runDue(): Promise<void>;
  /** For a consumer that is gone for good: until then all that it has not read is kept. */
  forgetConsumer(name: string): Promise<void>;
  /** For rooms of the game's own: each client follows its own home. */
  plugin(): HomePlugin;
  /** For rooms that show homes themselves. */
  readonly service: Homes;
}

/** What a probe may ask at any time. */
export interface KibbleHealth {
  /** Undefined before `boot` has ended and after `shutdown` began; else what works worse than it should. */
  degraded(): readonly Trouble[] | undefined;
}

/**
 * Kibble for a game's own server. Nothing is opened before `lifecycle.boot()`. Throws `RulesRefused`, or `TypeError`
 * for a schema or a prefix that is no plain name, or a registry that another Kibble has.
 */
export const createKibble = <Auth = { readonly sub: string }>(options: KibbleOptions<Auth>): Kibble => {
  const { pool, schema = 'kibble', log = consoleLog(), kinds = [] } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new TypeError('schema must be a plain lower-case name');
  const catalogue = rulesOf(options.rules);
  surviveLostConnections(pool, log);
  const clock = options.clock ?? systemClock;
  const kindNames = [FEEDING, ...kinds.map(({ kind }) => kind)];
  const metrics = createMetrics(kindNames, options.metrics);
  const handCranked = options.clock ? { nowMs: options.clock.nowMs } : {};
  const inventory = options.inventory ?? new ItemInventory(schema);
  const activity = new Activity(() => clock.nowMs());
  const time = new ClockGuard(clock);
  const timerStore = new PostgresTimerStore({ pool, schema, time, ...handCranked });
  const store = new PostgresHomeStore({
    pool,
    schema,
    timers: timerStore,
    inventory,
    limits: limits.transaction,
    time,
    ...handCranked,
  });
  const { index, nodes, generations, channel, witnesses } = indexOf({ ...options, schema, log }, clock);
  const { eventRetentionMs = 90 * DAY_MS, timerRetentionMs = 30 * DAY_MS } = options;
  const sweeping = new AdvisoryLock({ pool, name: `${schema}.sweep`, clock: systemClock });
  const engine = new TimerEngine({
    store: timerStore,
    index,
    nodes,
    generations,
    clock,
    log,
    exclusive: sweeping,
    retentionMs: timerRetentionMs,
    batchLimit: limits.timers.batch,
    fireConnections: fireConnectionsOf(pool),
    ...(options.drainMs !== undefined && { drainMs: options.drainMs }),
    observe: (event) => {
      metrics.observeEngine(event);
      activity.observe(event);
    },
  });
  const onFault = (message: string, error: unknown): void => log.error({ err: error }, message);
  const consumerStore = new PostgresConsumerStore({ pool, schema });
  const ownConsumers = options.role === 'gateway' ? [] : (options.consumers ?? []);
  const consumers = new Consumers({
    store: consumerStore,
    clock,
    log,
    batch: limits.consumers.batch,
    consumers: ownConsumers,
    exclusiveOf: (consumer) =>
      options.redis === undefined
        ? alwaysExclusive
        : new AdvisoryLock({ pool, name: `${schema}.consumer.${consumer}`, clock: systemClock }),
  });
  const service = new HomeService({
    catalogue,
    store,
    tellIndex: (changes) => {
      consumers.wake();
      engine.indexWriter.apply(changes).catch((error: unknown) => onFault('the index was not told', error));
    },
    limits: { ...limits.writePath, pageMax: limits.events.pageMax },
    // Not the game's: where that stands still, a locked home would be waited for for ever.
    clock: systemClock,
    onFault,
    onHealed: reportHealed(metrics, log),
    onLooked: engine.checkOwners,
    onCommands: (count) => activity.commanded(count),
    // How long something takes is the machine's matter, also where a game's tests move the time.
    measure: { clock: systemClock, observe: metrics.observeHomes },
    ...(channel ? { channel } : {}),
  });
  engine.register({ kind: FEEDING, derived: true, settle: (owners) => service.settle(owners) });
  for (const kind of kinds) engine.register(kind);
  const care = homeCare({
    pool,
    schema,
    time,
    service,
    clock,
    log,
    exclusive: sweeping,
    ...handCranked,
    eventsMs: eventRetentionMs,
    feedingsMs: timerRetentionMs,
  });
  const ofProcess = {
    pool,
    indexKind: options.redis === undefined ? ('wheel' as const) : ('redis' as const),
    isIndexAvailable: () => index.isAvailable,
    isIndexWhole: () => lifecycle.isIndexWhole,
    clockState: () => time.state,
    standing: () => engine.standing,
    followed: () => service.followed,
    lanes: () => engine.lanes,
    kinds: kindNames,
  };
  const stored = {
    index,
    consumerStore,
    kinds: kindNames,
    clock: systemClock,
    counts: new PostgresTimerCounts({ pool, schema, time }),
    consumers: ownConsumers.map(({ name }) => name),
  };
  // Whoever fires tells of the rows; a gateway more would only read them once more.
  const eventLoop = metrics.addGauges(ofProcess, options.role === 'gateway' ? undefined : stored);
  const clockWatch = new ClockWatch({
    guard: time,
    clock,
    log,
    witnesses,
    record: new PostgresClockRecord({ pool, schema }),
  });
  const ops = opsOf({
    lanes: () => engine.lanes,
    pool,
    schema,
    time,
    catalogue,
    inventory,
    service,
    activity,
    clock,
    log,
    ...handCranked,
    clockCare: clockWatch,
    timers: engine.timers,
    index: engine.care,
    degraded: () => lifecycle.degraded(),
    derivedKinds: () => engine.derivedKinds,
  });
  const boot = new Boot();
  const lifecycle: Lifecycle = new Lifecycle({
    boot,
    pool,
    schema,
    log,
    clock,
    engine,
    index,
    service,
    channel,
    consumers,
    eventLoop,
    jobs: ops.jobs,
    homeCare: care,
    clockWatch: options.clock ? undefined : clockWatch,
    fires: options.role !== 'gateway' && options.clock === undefined,
    // The right to sweep, and on Redis one a consumer.
    held: options.role === 'gateway' ? 0 : 1 + (options.redis === undefined ? 0 : ownConsumers.length),
  });
  const rate = createRateLimit(limits.rates.messagesPerPlayer);
  const clientHomes = homesOnceBooted(service, boot, onFault);
  return {
    catalogue,
    homes: onceBooted(new GameHomes(service), boot),
    timers: onceBooted(engine.timers, boot),
    index: engine.care,
    clock: clockWatch,
    ops,
    service: onceBooted(service, boot),
    lifecycle,
    now: () => service.now(),
    runDue: async () => {
      await engine.runDue();
      await consumers.runDue();
    },
    health: { degraded: () => lifecycle.degraded() },
    metrics: metrics.registry,
    forgetConsumer: (name) => consumerStore.forget(name),
    plugin: () =>
      new HomePlugin({
        homes: clientHomes,
        catalogue,
        playerId: options.playerId,
        limits: limits.events,
        rate,
        onFault,
      }),
  };
};

const DAY_MS = 86_400_000;
