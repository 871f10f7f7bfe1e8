import type { Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import type { AnyModules, PayloadsOf } from '../shared/module/payloads-of.ts';
import { OptionsRefused } from '../shared/options/options-refused.ts';
import { faultsAt, readOptions } from '../shared/options/read-options.ts';
import { fields } from '../shared/options/shapes.ts';
import { type Catalogue, liveCatalogue } from '../shared/pets/catalogue.ts';
import type { Pets } from '../shared/pets/pets.ts';
import { systemClock } from './adapter/machine/system-clock.ts';
import { Modules } from './domain/modules.ts';
import { GameHomes } from './home/game-homes.ts';
import type { HomeService } from './home/home-service.ts';
import type { Consumer } from './home/log/consumer.ts';
import type { PlayerHomes } from './home/model/homes.ts';
import type { Inventory } from './home/model/inventory.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { Activity } from './ops/reads/activity.ts';
import { besideDatabase, type KibbleLifecycle } from './room/around-colyseus/beside-database.ts';
import { HomePlugin, type HomePluginOptions } from './room/home-plugin.ts';
import type { EngineLog } from './runtime/engine-log.ts';
import { ManualClock } from './runtime/manual-clock.ts';
import { limits } from './settings/config.ts';
import { pets } from './settings/rules.ts';
import type { ClockCare } from './timer/clock/clock-watch.ts';
import type { IndexCare } from './timer/index-operations.ts';
import type { EngineKind, TimerKind } from './timer/model/timer-kind.ts';
import type { TimerService } from './timer/timer-service.ts';
import { silent } from './wiring/console-log.ts';
import { GameRules } from './wiring/game-rules.ts';
import { clockOnceBooted, homesOnceBooted, onceBooted, type Trouble } from './wiring/health.ts';
import { besideArguments, besideEachOther, consumerName, kibbleShape } from './wiring/host-options.ts';
import { Lifecycle } from './wiring/lifecycle.ts';
import { type Ops, opsOf } from './wiring/ops-of.ts';
import { homesTenant, wireHomes } from './wiring/wire-homes.ts';
import { wireTimers } from './wiring/wire-timers.ts';

export interface KibbleOptions<Auth = { readonly sub: string }, Known extends AnyModules = AnyModules> {
  /** The game's own pool. Kibble's tables are in a schema of their own, and Kibble never ends the pool. */
  readonly pool: Pool;
  /** Maps the result of `onAuth` to the player's id. */
  readonly playerId: (auth: Auth) => string;
  /** Default `kibble`. */
  readonly schema?: string;
  /** URL of a Redis 7 or newer; several URLs with commas are a Cluster or Sentinels. Without a URL: the timing wheel, for one process. */
  readonly redis?: string;
  readonly redisPrefix?: string;
  /** `gateway` leaves the timers to other processes, which needs Redis. Default `all`; `worker` is an `all` without rooms. */
  readonly role?: 'all' | 'gateway' | 'worker';
  /** Shards of a new index in Redis; later the index's own count is in force. Default 16. */
  readonly shards?: number;
  /** The game's modules; `pets(rules)` is a ready one. Default: only the pets, with `rules`. */
  readonly modules?: Known;
  /** Names of modules that were removed for good: their things, events and due times stay, and no timer of theirs fires. */
  readonly retired?: readonly string[];
  /** The content of a rules file for the pets, without `modules`. Throws `RulesRefused` with all faults. */
  readonly rules?: unknown;
  /**
   * The config in force if an operator changed it and a start brings another one: `operator` (default) retains the
   * change and logs the difference, `file` uses the start's.
   */
  readonly rulesFrom?: 'file' | 'operator';
  /** Stores the items. Default: the homes of Kibble. */
  readonly inventory?: Inventory;
  /** Items that no module declares. With the game's own inventory every name is an item. */
  readonly items?: readonly string[];
  /** The game's own kinds of timers. */
  readonly kinds?: readonly TimerKind[];
  /** Receive all events of all players, outside of the write path. A gateway has none. */
  readonly consumers?: readonly Consumer[];
  /** How long events, and the replies to repeated commands, are retained. Default 90 days. */
  readonly eventRetentionMs?: number;
  /** How long finished timers are retained. Default 30 days. */
  readonly timerRetentionMs?: number;
  /** How long dead timers are retained. Default 90 days. */
  readonly deadRetentionMs?: number;
  /** At shutdown: how long calls of the game's own timers may go on before they are aborted. Default 20 s. */
  readonly drainMs?: number;
  /** For a game's own tests: time stands still until the test moves it, and timers fire only in `runDue()`. */
  readonly clock?: ManualClock;
  /** A pino logger or a similar one; `silent` for no log. Default: warnings and errors on the console. */
  readonly log?: EngineLog;
  /** The registry of `@prometheus-io/client` for the metrics. Default: this Kibble's own, `kibble.metrics`. */
  readonly metrics?: Registry;
}

export { HomeState, PetState } from '../shared/home-state.ts';
export { RefusedByHost } from '../shared/host-rows.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../shared/options/options-refused.ts';
export { fromDrizzle, fromPrisma } from './adapter/postgres/orm-transactions.ts';
export { type GuardOptions, guardServer } from './gate/guard-server.ts';
export { CommandRefused } from './home/item-order.ts';
export { OutcomeUnknown } from './home/model/faults.ts';
export type * from './public-types.ts';
export { pets, RulesRefused, type WorksOptions, works } from './settings/rules.ts';
export { NotRetryable } from './timer/fire/not-retryable.ts';
export { nextTimes } from './timer/recurrence/next-times.ts';
export { BootRefused } from './wiring/health.ts';
export { ManualClock, silent };

/** `Known`: the types of the modules, which decide the possible commands. A plain `Kibble` accepts every command. */
// biome-ignore lint/suspicious/noExplicitAny: the modules are arguments and results, so only `any` fits all of them
export interface Kibble<Known extends AnyModules = any> {
  /** The pets' catalogue of the rules in force. */
  readonly catalogue: Catalogue;
  /** The rules of modules with a config: read, checked, and changed while the game runs. */
  readonly rules: GameRules;
  /** For rooms that show homes themselves. */
  readonly modules: Modules;
  /** The homes for the game's own server code. */
  readonly homes: GameHomes<PayloadsOf<Known>>;
  readonly timers: TimerService;
  /** For operators: change the number of shards, refill the index, compare it with the rows, read its state. */
  readonly index: IndexCare;
  /** For operators: whether the database's clock is trusted, and the call that declares it right. */
  readonly clock: ClockCare;
  /** The operators' acts; `addOpsApi` serves them. */
  readonly ops: Ops;
  readonly health: KibbleHealth;
  /** For a scrape: `await kibble.metrics.metrics()`. No label names a player. */
  readonly metrics: Registry;
  readonly lifecycle: KibbleLifecycle;
  /** The database's time in whole epoch milliseconds, with which due times are compared. */
  now(): Promise<number>;
  /** For tests with a `clock`, after `boot`: fires all due timers, also those that become due by it; then consumers read. */
  runDue(): Promise<void>;
  /** Call it when a consumer is gone for good: until then its unread events are retained. */
  forgetConsumer(name: string): Promise<void>;
  /** For the game's own rooms: each client follows its own home. */
  plugin(): HomePlugin<Known>;
  /** For rooms that show homes themselves, with the plugin's refusals and pushes. The game's other code uses `homes`. */
  readonly service: PlayerHomes;
}

/** The health for probes, at any time. */
export interface KibbleHealth {
  /** Undefined before the end of `boot` and after the begin of `shutdown`; else the degraded parts. */
  degraded(): readonly Trouble[] | undefined;
}

/**
 * Kibble for a game's own server: its timers, as `createTimers` wires them, and the homes on them. Opens nothing before
 * `lifecycle.boot()`. Throws `OptionsRefused` with all faults of the options, or `RulesRefused`.
 */
export const createKibble = <Auth = { readonly sub: string }, const Known extends AnyModules = readonly [Pets]>(
  given: KibbleOptions<Auth, Known>,
): Kibble<Known> => {
  const options = readOptions(kibbleOptions, given, 'createKibble');
  const { inventory, kinds = [] } = options;
  const isGateway = options.role === 'gateway';
  const own = options.modules ?? [pets(options.rules)];
  const modules = new Modules(own, options.retired, inventory ? 'any' : options.items);
  refuseKindsOf(modules, kinds);
  const activity = new Activity(() => (options.clock ?? systemClock).nowMs());
  const timers = wireTimers(options, {
    kindNames: [...modules.timerKinds, ...kinds.map(({ kind }) => kind)],
    fires: !isGateway,
    retentionMs: options.timerRetentionMs,
    listeners: activity.listeners,
  });
  const { due, engine, health, clockWatch, registry } = timers;
  const consumers = isGateway ? [] : (options.consumers ?? []);
  const homes = wireHomes(timers, {
    modules,
    inventory,
    consumers,
    rulesFrom: options.rulesFrom,
    eventsMs: options.eventRetentionMs ?? 90 * DAY_MS,
    onCommands: (count) => activity.commanded(count),
  });
  const { service, onFault } = homes;
  const { inForce } = homes.rules;
  for (const kind of [...derivedKinds(modules, service), ...kinds]) engine.register(kind);
  const ops = opsOf({ timers, service, modules, rules: homes.rules, inventory: homes.inventory, activity });
  const catalogue = liveCatalogue(() => inForce.current.oldest?.config as Catalogue | undefined);
  const lifecycle = new Lifecycle(timers, {
    tenant: homesTenant(timers, homes, ops.jobs),
    watchesClock: options.clock === undefined,
    // With Redis: the lock of the sweep, and one for each consumer.
    heldConnections: isGateway || due.isAlone ? 0 : 1 + consumers.length,
  });
  const runDue = async (): Promise<void> => {
    await engine.runDue();
    await homes.consumers.runDue();
  };
  const forgetConsumer = forgettingIn(homes.consumerStore);
  const clientHomes = homesOnceBooted(service, health.boot, onFault);
  return {
    catalogue,
    modules,
    homes: onceBooted(new GameHomes<PayloadsOf<Known>>(service, modules, onFault), health.boot),
    rules: onceBooted(new GameRules({ modules, inForce, handlers: ops.handlers() }), health.boot, 'config'),
    timers: onceBooted(engine.timers, health, 'within'),
    index: onceBooted(engine.indexOperations, health.boot),
    clock: clockOnceBooted(clockWatch, health.boot),
    ops,
    service: clientHomes,
    lifecycle: lifecycleOf(lifecycle, onFault),
    ...onceBooted({ now: () => service.now(), runDue, forgetConsumer }, health.boot),
    health: { degraded: () => health.degraded() },
    metrics: registry,
    plugin: pluginsOf({ catalogue, modules, onFault, playerId: options.playerId, homes: clientHomes }),
  };
};

/** A module's timers belong to it: `kinds` cannot fire them. */
const refuseKindsOf = ({ timerKinds }: Modules, kinds: readonly TimerKind[]): void => {
  const faults = kinds.flatMap(({ kind }, at) => {
    if (!timerKinds.includes(kind)) return [];
    return faultsAt(`kinds[${at}]`, [{ at: ['kind'], what: `is ${kind}, as that of a module`, remedy: 'rename it' }]);
  });
  if (faults.length > 0) throw new OptionsRefused('createKibble', faults);
};

const lifecycleOf = (lifecycle: Lifecycle, onFault: HomePluginOptions['onFault']): KibbleLifecycle => ({
  boot: () => lifecycle.boot(),
  shutdown: () => lifecycle.shutdown(),
  beside: (database) => {
    readOptions(besideArguments, { database }, 'lifecycle.beside');
    return besideDatabase({ kibble: lifecycle, database, onFault });
  },
});

const forgetConsumerArguments = fields({ name: consumerName });

const forgettingIn = (store: { forget(name: string): Promise<void> }) => async (name: string) => {
  readOptions(forgetConsumerArguments, { name }, 'forgetConsumer');
  await store.forget(name);
};

const kibbleOptions = fields<KibbleOptions>(kibbleShape, besideEachOther);

const DAY_MS = 86_400_000;

/** In the order of `timerKinds`, with retired modules, so that no process fires timers of their things. */
const derivedKinds = (modules: Modules, service: HomeService): readonly EngineKind[] =>
  [
    ...modules.all.map(({ name, timerKind }) => ({ kind: timerKind, module: name, isRetired: false })),
    ...modules.retired.map((name) => ({ kind: name, module: name, isRetired: true })),
  ].map((named) => ({ ...named, derived: true, settle: (owners) => service.settle(owners) }));

/** Makes plugins, which share one limit for a player's messages. */
const pluginsOf = <Known extends AnyModules>(
  options: Pick<HomePluginOptions, 'catalogue' | 'modules' | 'homes' | 'onFault' | 'playerId'>,
) => {
  const rate = createRateLimit(limits.rates.messagesPerPlayer);
  const bounds = { limits: limits.events, frames: limits.gameRooms, rate };
  return (): HomePlugin<Known> => new HomePlugin({ ...options, ...bounds, clock: systemClock });
};
