import { causesOf, textOf } from '../../shared/game-code.ts';
import { systemClock } from '../adapter/machine/system-clock.ts';
import type { Database } from '../adapter/postgres/database.ts';
import { PostgresConsumerStore } from '../adapter/postgres/home/consumer-store.ts';
import { PostgresDueCheckStore } from '../adapter/postgres/home/due-check-store.ts';
import { PostgresHomeStore } from '../adapter/postgres/home/home-store.ts';
import { hostInventory } from '../adapter/postgres/home/host-inventory.ts';
import { PostgresRetainedStore } from '../adapter/postgres/home/retained-store.ts';
import { retiredElsewhere } from '../adapter/postgres/home/retired-elsewhere.ts';
import { PostgresRulesStore } from '../adapter/postgres/home/rules-store.ts';
import { withTransaction } from '../adapter/postgres/transaction.ts';
import type { Modules } from '../domain/modules.ts';
import { refuseFatal } from '../gate/front-gate.ts';
import { HomeService } from '../home/home-service.ts';
import type { Consumer } from '../home/log/consumer.ts';
import { Consumers } from '../home/log/consumers.ts';
import { DueCheck } from '../home/log/due-check.ts';
import { Retention } from '../home/log/retention.ts';
import { moduleFaultIn } from '../home/model/faults.ts';
import type { HomeMeasure, SlowRules } from '../home/model/home-measurement.ts';
import type { Inventory } from '../home/model/inventory.ts';
import { registerGiven } from '../home/rules/given-rules.ts';
import { LoadedRules } from '../home/rules/rules.ts';
import { drainWithServer } from '../room/around-colyseus/drain-with-server.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import { Loop } from '../runtime/loop.ts';
import { throttle } from '../runtime/throttle.ts';
import { limits } from '../settings/config.ts';
import { homeGauges, homeMetrics } from '../telemetry/home-metrics.ts';
import type { Leader } from '../timer/leader.ts';
import type { Tenant } from './lifecycle.ts';
import type { Ops } from './ops-of.ts';
import type { WiredTimers } from './wire-timers.ts';

interface Options {
  readonly modules: Modules;
  /** The game's own inventory. */
  readonly inventory: Inventory | undefined;
  readonly consumers: readonly Consumer[];
  readonly rulesFrom: 'file' | 'operator' | undefined;
  /** How long events are retained. */
  readonly eventsMs: number;
  readonly onCommands: (count: number) => void;
}

type WiredHomes = ReturnType<typeof wireHomes>;

/** The homes of one process, on its timers. */
export const wireHomes = (timers: WiredTimers, options: Options) => {
  const { host, engine, due, right, registry, reads } = timers;
  const { modules, onCommands } = options;
  const inventory = options.inventory && hostInventory(options.inventory);
  const { database } = host;
  const rules = rulesOf(timers, options);
  const store = new PostgresHomeStore({ database, modules, inventory, limits: limits.transaction });
  const { consumers, consumerStore } = consumersOf(timers, options);
  const onFault = reportFaults({ clock: systemClock, log: host.log });
  const service = new HomeService({
    modules,
    rules: rules.inForce,
    store,
    updateIndex: (changes) => {
      consumers.wake();
      engine.indexWriter.publish(changes);
    },
    limits: { ...limits.writePath, pageMax: limits.events.pageMax },
    mayRun: () => right.mayRun,
    // Not the game's clock: if it stands still, a locked home would be awaited forever.
    clock: systemClock,
    onFault,
    onCommands,
    measure: measureOf(timers, modules),
    ...(due.channel ? { channel: due.channel } : {}),
  });
  homeGauges(registry, {
    reads,
    consumerStore,
    followed: () => service.followed,
  });
  addHomeChores({ ...host, modules, service, leader: engine.leader, eventsMs: options.eventsMs });
  return { service, rules, inventory, consumers, consumerStore, onFault };
};

/** Durations use the machine's clock, even if a game's tests move the time. */
const measureOf = ({ registry, host }: WiredTimers, modules: Modules): HomeMeasure => {
  const clock = systemClock;
  const { commandModules, all } = modules;
  const count = homeMetrics(registry, { commandModules, modules: all.map(({ name }) => name) });
  const countSlow = ({ modules }: SlowRules): void => count({ type: 'slow', modules });
  return { clock, observe: count, slow: reportSlowRules(countSlow, { clock, log: host.log }) };
};

/** The rules in force. The rules of a start are registered after the tables exist. */
const rulesOf = ({ host }: WiredTimers, { modules, rulesFrom }: Options) => {
  const { database, log } = host;
  const store = new PostgresRulesStore(database);
  const inForce = new LoadedRules({ modules, store, log });
  let waiting: readonly string[] = [];
  const begin = async (): Promise<void> => {
    waiting = await withTransaction(database.pool, (tx) => registerGiven({ modules, store, rulesFrom, log }, tx));
    await inForce.load(await store.newest());
  };
  return { inForce, store, begin, waiting: () => waiting };
};

const consumersOf = ({ host, right }: WiredTimers, { consumers: own }: Options) => {
  const { database, clock, log } = host;
  const consumerStore = new PostgresConsumerStore(database);
  const consumers = new Consumers({
    store: consumerStore,
    clock,
    log,
    batch: limits.consumers.batch,
    consumers: own,
    exclusiveOf: (consumer) => right.exclusive(`consumer.${consumer}`),
  });
  return { consumers, consumerStore };
};

/** The parts of the homes that start and stop with the timers. */
export const homesTenant = (timers: WiredTimers, homes: WiredHomes, jobs: Ops['jobs']): Tenant => {
  const { host, due, health } = timers;
  const { service, rules, consumers } = homes;
  const watchRules = new Loop({ ...host, name: 'watch rules', tick: rules.inForce.tick });
  const watch = new Loop({ ...host, name: 'watch followed players', tick: service.watch.tick });
  return {
    open: async (lifecycle) => {
      drainWithServer(lifecycle, refuseFatal);
      await rules.begin();
      await due.channel?.start();
      await consumers.register();
    },
    start: () => {
      if (health.fires) for (const one of [consumers, jobs]) one.start();
      watch.start();
      watchRules.start();
    },
    endings: [
      ['watch of followed players', () => watch.stop()],
      ['watch of rules', () => watchRules.stop()],
      ['jobs', () => jobs.stop()],
      ['commands', () => service.drain()],
      ['consumers', () => consumers.stop()],
    ],
    close: () => due.channel?.stop(),
  };
};

interface Parts {
  readonly database: Database;
  readonly modules: Modules;
  readonly clock: Clock;
  readonly log: EngineLog;
  readonly service: Pick<HomeService, 'settle'>;
  readonly leader: Pick<Leader, 'add'>;
  readonly eventsMs: number;
}

/** The leader's chores for all homes: deletes old events, compares due times with the rules, and warns of retired modules. */
export const addHomeChores = (parts: Parts): void => {
  const { leader, clock, service, modules, eventsMs } = parts;
  const retention = new Retention({ store: new PostgresRetainedStore(parts), eventsMs });
  const dueCheck = new DueCheck({
    modules,
    store: new PostgresDueCheckStore(parts),
    look: (playerIds) => service.settle(playerIds),
    monotonicMs: clock.monotonicMs,
  });
  leader.add('retention', retention.tick);
  leader.add('compare due times with the rules', dueCheck.tick);
  leader.add('look for modules that are retired elsewhere', retiredElsewhere(parts));
};

/** Logs at most a line a minute for each cause, for all players together: retrying players must not fill a disk. */
export const reportFaults = ({
  clock,
  log,
}: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: EngineLog;
}) => {
  const limit = throttle(clock);
  return (message: string, error: unknown): void => {
    const fault = moduleFaultIn(error);
    const told = limit(fault ? `${fault.module} ${fault.rule}` : textOf(causesOf(error).at(-1)));
    if (told) log.error({ err: error, leftOut: told.leftOut }, message);
  };
};

/** Warns at most once a minute of rules of the same modules. */
export const reportSlowRules = (
  count: (slow: SlowRules) => void,
  { clock, log }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly log: EngineLog },
): ((slow: SlowRules) => void) => {
  const isTimeToLog = throttle(clock);
  return (slow) => {
    count(slow);
    const module = slow.modules.join(', ');
    if (!isTimeToLog(module)) return;
    const { playerId, thing, command } = slow;
    const tookMs = Math.round(slow.tookMs);
    const of = `${thing === undefined ? 'the home' : `the thing ${thing}`} of ${playerId}`;
    log.warn({ code: 'module/slow', module, command, tookMs }, `rules ran for long and held up the process: ${of}`);
  };
};
