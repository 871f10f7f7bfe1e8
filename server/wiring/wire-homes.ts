import { systemClock } from '../adapter/machine/system-clock.ts';
import { PostgresConsumerStore } from '../adapter/postgres/home/consumer-store.ts';
import { PostgresHomeStore } from '../adapter/postgres/home/home-store.ts';
import type { Modules } from '../domain/modules.ts';
import { HomeService } from '../home/home-service.ts';
import type { Consumer } from '../home/log/consumer.ts';
import { Consumers } from '../home/log/consumers.ts';
import type { HomeMeasure } from '../home/model/home-measurement.ts';
import type { Inventory } from '../home/model/inventory.ts';
import { drainWithServer } from '../room/around-colyseus/drain-with-server.ts';
import { Loop } from '../runtime/loop.ts';
import { limits } from '../settings/config.ts';
import { homeGauges } from '../telemetry/home-gauges.ts';
import { homeMetrics, slowRulesMetrics } from '../telemetry/home-metrics.ts';
import { addHomeChores, reportFaults, reportSlowRules } from './home-care.ts';
import type { Tenant } from './lifecycle.ts';
import type { WiredTimers } from './wire-timers.ts';

interface Options {
  readonly modules: Modules;
  /** The game's own. */
  readonly inventory: Inventory | undefined;
  readonly consumers: readonly Consumer[];
  /** How long events are kept. */
  readonly eventsMs: number;
  readonly onCommands: (count: number) => void;
}

export type WiredHomes = ReturnType<typeof wireHomes>;

/** The homes of one process, on its timers. */
export const wireHomes = (timers: WiredTimers, options: Options) => {
  const { ground, engine, channel, right, metrics, reads, log } = timers;
  const { modules, inventory, onCommands } = options;
  const { database } = ground;
  const store = new PostgresHomeStore({ database, modules, inventory, limits: limits.transaction });
  const { consumers, consumerStore } = consumersOf(timers, options);
  const onFault = reportFaults({ clock: systemClock, log });
  const service = new HomeService({
    modules,
    store,
    updateIndex: (changes) => {
      consumers.wake();
      engine.indexWriter.publish(changes);
    },
    limits: { ...limits.writePath, pageMax: limits.events.pageMax },
    mayRun: () => right.mayRun,
    // Not the game's: where that stands still, a locked home would be waited for for ever.
    clock: systemClock,
    onFault,
    onCommands,
    measure: measureOf(timers, modules),
    ...(channel ? { channel } : {}),
  });
  homeGauges(metrics.registry, {
    reads,
    consumerStore,
    followed: () => service.followed,
    consumers: options.consumers.map(({ name }) => name),
  });
  addHomeChores({ ...ground, modules, service, leader: engine.leader, eventsMs: options.eventsMs });
  return { service, consumers, consumerStore, onFault };
};

/** How long something takes is the machine's matter, also where a game's tests move the time. */
const measureOf = ({ metrics: { registry }, log }: WiredTimers, modules: Modules): HomeMeasure => {
  const clock = systemClock;
  const names = modules.all.map(({ name }) => name);
  return {
    clock,
    observe: homeMetrics(registry, modules.commandModules),
    slow: reportSlowRules(slowRulesMetrics(registry, names), { clock, log }),
  };
};

const consumersOf = ({ database, clock, log, right }: WiredTimers, { consumers: own }: Options) => {
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

interface Tenancy {
  /** Works the operators' jobs off. */
  readonly jobs: { start(): void; stop(): Promise<void> };
  /** Of this process, for the Colyseus server that boots it. */
  readonly lifecycle: () => { shutdown(): Promise<void> };
}

/** What of the homes starts and stops with the timers. */
export const homesTenant = (timers: WiredTimers, homes: WiredHomes, { jobs, lifecycle }: Tenancy): Tenant => {
  const { channel, clock, log, health } = timers;
  const { service, consumers } = homes;
  const watch = new Loop({ name: 'watch followed players', clock, log, tick: service.watch.tick });
  return {
    open: async () => {
      drainWithServer(lifecycle());
      await channel?.start();
      await consumers.register();
    },
    start: () => {
      if (health.fires) for (const one of [consumers, jobs]) one.start();
      watch.start();
    },
    endings: [
      ['watch of followed players', () => watch.stop()],
      ['jobs', () => jobs.stop()],
      ['commands', () => service.drain()],
      ['consumers', () => consumers.stop()],
    ],
    close: () => channel?.stop(),
  };
};
