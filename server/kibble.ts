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
import type { IndexCare } from './timer/index-care.ts';
import type { EngineKind, TimerKind } from './timer/model/timer-kind.ts';
import type { TimerService } from './timer/timer-service.ts';
import { silent } from './wiring/console-log.ts';
import { GameRules } from './wiring/game-rules.ts';
import { homesOnceBooted, onceBooted, type Trouble } from './wiring/health.ts';
import { besideArguments, consumerName, kibbleShape, rulesBesideModules } from './wiring/host-options.ts';
import { Lifecycle } from './wiring/lifecycle.ts';
import { type Ops, opsOf } from './wiring/ops-of.ts';
import { homesTenant, wireHomes } from './wiring/wire-homes.ts';
import { wireTimers } from './wiring/wire-timers.ts';

export interface KibbleOptions<Auth = { readonly sub: string }, Known extends AnyModules = AnyModules> {
  /** The game's own pool. Kibble keeps its tables in a schema of its own and never ends the pool. */
  readonly pool: Pool;
  /** The player that `onAuth`'s result stands for. */
  readonly playerId: (auth: Auth) => string;
  /** Default `kibble`. */
  readonly schema?: string;
  /** URL of a Redis 7 or newer; several URLs with commas are a Cluster or Sentinels. Without a URL: the timing wheel, for one process. */
  readonly redis?: string;
  readonly redisPrefix?: string;
  /** `gateway` leaves the timers to others, which needs Redis. Default `all`; `worker` is an `all` without rooms. */
  readonly role?: 'all' | 'gateway' | 'worker';
  /** Of the index in Redis, when there is none yet; later its own count is in force. Default 16. */
  readonly shards?: number;
  /** What players may have: `pets(rules)`, modules of the game's own. Default: the pets alone, by `rules`. */
  readonly modules?: Known;
  /** Names of modules that were taken out for good: their things and events stay, their timers are cancelled. */
  readonly retired?: readonly string[];
  /** The content of a rules file for the pets, without `modules`. Throws `RulesRefused` with all faults. */
  readonly rules?: unknown;
  /**
   * Which config of a module is in force where an operator has changed it and a start brings another one: `operator` (default)
   * keeps the change and says so in the log, `file` takes what the start brings.
   */
  readonly rulesFrom?: 'file' | 'operator';
  /** Where items are kept. Default: a table of ours. */
  readonly inventory?: Inventory;
  /** Items that no module declares. With an inventory of the game's own any name is an item. */
  readonly items?: readonly string[];
  /** The game's own timers. */
  readonly kinds?: readonly TimerKind[];
  /** Who hears of everything that happens to all players, outside of the write path. A gateway has none. */
  readonly consumers?: readonly Consumer[];
  /** How long events are kept, and with them the replies to commands sent again. Default 90 days. */
  readonly eventRetentionMs?: number;
  /** How long finished timers are kept. Default 30 days. */
  readonly timerRetentionMs?: number;
  /** How long dead timers are kept. Default 90 days. */
  readonly deadRetentionMs?: number;
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
export { RefusedByHost } from '../shared/host-rows.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../shared/options/options-refused.ts';
export { fromDrizzle, fromPrisma } from './adapter/postgres/orm-transactions.ts';
export { type GuardOptions, guardServer } from './gate/guard-server.ts';
export { CommandRefused } from './home/game-homes.ts';
export { OutcomeUnknown } from './home/model/faults.ts';
export type * from './public-types.ts';
export { pets, RulesRefused, type WorksOptions, works } from './settings/rules.ts';
export { NotRetryable } from './timer/fire/not-retryable.ts';
export { nextTimes } from './timer/recurrence/next-times.ts';
export { BootRefused } from './wiring/health.ts';
export { ManualClock, silent };

/** `Known` are the modules by type: what may be asked of them. Each is a plain `Kibble`, of which anything may be asked. */
// biome-ignore lint/suspicious/noExplicitAny: the modules are taken and given, so that only `any` fits all of them
export interface Kibble<Known extends AnyModules = any> {
  /** Of the pets, by the rules in force. */
  readonly catalogue: Catalogue;
  /** The rules of modules that have a config: read, checked, and changed while the game runs. */
  readonly rules: GameRules;
  /** For rooms that show homes themselves. */
  readonly modules: Modules;
  /** For the game's own server code. */
  readonly homes: GameHomes<PayloadsOf<Known>>;
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
  readonly lifecycle: KibbleLifecycle;
  /** The database's time, in whole epoch milliseconds: what due times are compared with. */
  now(): Promise<number>;
  /** For tests with a `clock`, after `boot`: fires all that is due by it, also what comes due by that; then consumers read. */
  runDue(): Promise<void>;
  /** For a consumer that is gone for good: until then all that it has not read is kept. */
  forgetConsumer(name: string): Promise<void>;
  /** For rooms of the game's own: each client follows its own home. */
  plugin(): HomePlugin<Known>;
  /** For rooms that show homes themselves. Refusals and pushes are the plugin's; the game's own code asks `homes`. */
  readonly service: PlayerHomes;
}

/** What a probe may ask at any time. */
export interface KibbleHealth {
  /** Undefined before `boot` has ended and after `shutdown` began; else what works worse than it should. */
  degraded(): readonly Trouble[] | undefined;
}

/**
 * Kibble for a game's own server: its timers, as `createTimers` wires them, and the homes on them. Nothing is opened
 * before `lifecycle.boot()`. Throws `OptionsRefused` with all that is wrong with the options, or `RulesRefused`.
 */
export const createKibble = <Auth = { readonly sub: string }, const Known extends AnyModules = readonly [Pets]>(
  options: KibbleOptions<Auth, Known>,
): Kibble<Known> => {
  readOptions(kibbleOptions, options, 'createKibble');
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
    observe: activity.observe,
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
  const ops = opsOf({ timers, service, modules, rules: homes.rules, inventory, activity });
  const catalogue = liveCatalogue(() => inForce.current.oldest?.config as Catalogue | undefined);
  const lifecycle = new Lifecycle(timers, {
    tenant: homesTenant(timers, homes, ops.jobs),
    watchesClock: options.clock === undefined,
    // With Redis the right to sweep, and one a consumer.
    heldConnections: isGateway || due.isAlone ? 0 : 1 + consumers.length,
  });
  const clientHomes = homesOnceBooted(service, health.boot, onFault);
  return {
    catalogue,
    modules,
    homes: onceBooted(new GameHomes<PayloadsOf<Known>>(service, modules), health.boot),
    rules: onceBooted(new GameRules({ modules, inForce, handlers: ops.handlers() }), health.boot),
    timers: onceBooted(engine.timers, health),
    index: engine.care,
    clock: clockWatch,
    ops,
    service: clientHomes,
    lifecycle: lifecycleOf(lifecycle, onFault),
    now: () => service.now(),
    runDue: async () => {
      await engine.runDue();
      await homes.consumers.runDue();
    },
    health: { degraded: () => health.degraded() },
    metrics: registry,
    forgetConsumer: forgettingIn(homes.consumerStore),
    plugin: pluginsOf({ catalogue, modules, onFault, playerId: options.playerId, homes: clientHomes }),
  };
};

/** A module's timers are its own: `kinds` cannot fire them. */
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

const kibbleOptions = fields<KibbleOptions>(kibbleShape, rulesBesideModules);

const DAY_MS = 86_400_000;

/** In the order of `timerKinds`. A retired module is among them, so that no process fires what its things had. */
const derivedKinds = (modules: Modules, service: HomeService): readonly EngineKind[] =>
  [
    ...modules.all.map(({ name, timerKind }) => ({ kind: timerKind, module: name, isRetired: false })),
    ...modules.retired.map((name) => ({ kind: name, module: name, isRetired: true })),
  ].map((named) => ({ ...named, derived: true, settle: (owners) => service.settle(owners) }));

/** Makes plugins, which share one bound for the messages of a player. */
const pluginsOf = <Known extends AnyModules>(
  options: Pick<HomePluginOptions, 'catalogue' | 'modules' | 'homes' | 'onFault' | 'playerId'>,
) => {
  const rate = createRateLimit(limits.rates.messagesPerPlayer);
  return (): HomePlugin<Known> => new HomePlugin({ ...options, limits: limits.events, frames: limits.gameRooms, rate });
};
