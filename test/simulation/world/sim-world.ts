import type { Modules } from '../../../server/domain/modules.ts';
import { HomeService } from '../../../server/home/home-service.ts';
import { StoreFault } from '../../../server/home/model/faults.ts';
import type { HomeStore } from '../../../server/home/model/home-store.ts';
import type { RulesStore } from '../../../server/home/model/rules-store.ts';
import { LoadedRules } from '../../../server/home/rules/rules.ts';
import { alwaysExclusive, type Exclusive } from '../../../server/runtime/exclusive.ts';
import type { LiveNodes } from '../../../server/timer/dispatch/live-nodes.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { Generations } from '../../../server/timer/index/generation.ts';
import type { EngineMeasurement } from '../../../server/timer/model/engine-event.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { TimerEngine } from '../../../server/timer/timer-engine.ts';
import { silentLog } from '../../support/log/logs.ts';
import type { Kernel } from './kernel.ts';
import { reminders } from './reminders.ts';
import { SimDatabase } from './sim-database.ts';
import { SimDueIndex, simLiveNodes } from './sim-due-index.ts';
import { SimHomeStore, type StoreSwitch } from './sim-home-store.ts';
import { SimProcess } from './sim-process.ts';
import { SimRedis } from './sim-redis.ts';
import { type RowSwitch, simTimerStore } from './sim-timer-store.ts';
import { Calls, type Fate, Wire } from './wire.ts';

/** A fault that is built into every process, to see whether it is found. */
export interface Sabotage {
  readonly index?: (index: DueIndex) => DueIndex;
  readonly homes?: (homes: HomeStore) => HomeStore;
  /** What a process takes a command for. */
  readonly hears?: (command: object) => object;
  readonly nodes?: (nodes: LiveNodes) => LiveNodes;
  readonly store?: StoreSwitch;
  readonly rows?: RowSwitch;
  /** No hint of pub/sub is ever heard. */
  readonly isDeaf?: true;
  /** No process sweeps overdue rows. */
  readonly noSweeper?: true;
  /** Every process is told that the right of one is its own, all the while. No fault: that must be harmless. */
  readonly isRightOfAll?: true;
}

export interface SimNode {
  readonly process: SimProcess;
  readonly service: HomeService;
  readonly engine: TimerEngine;
  readonly hears: (command: object) => object;
}

const same = <Port>(port: Port): Port => port;

interface Options {
  readonly kernel: Kernel;
  readonly modules: Modules;
  readonly shards: number;
  readonly sabotage?: Sabotage;
  readonly fate?: Fate | undefined;
  /** A process died of its fate. */
  readonly onDeath?: (() => void) | undefined;
}

/** The stores that all share, and processes that come and go. */
export class SimWorld {
  readonly kernel: Kernel;
  readonly modules: Modules;
  readonly database: SimDatabase;
  readonly redis: SimRedis;
  readonly toDatabase: Wire;
  readonly toRedis: Wire;
  readonly calls: Calls;
  readonly observed: EngineMeasurement[] = [];
  readonly faults: unknown[] = [];
  /** In how many of a hundred cases a hint of pub/sub gets lost. */
  deafness = 0;
  readonly #shards: number;
  readonly #sabotage: Sabotage;
  #nodes: SimNode[] = [];
  #lives = 0;

  constructor({ kernel, modules, shards, sabotage = {}, fate, onDeath }: Options) {
    this.kernel = kernel;
    this.modules = modules;
    this.#shards = shards;
    this.#sabotage = sabotage;
    this.database = new SimDatabase(kernel);
    this.redis = new SimRedis(() => kernel.nowMs);
    this.calls = new Calls(fate, (process) => {
      const victim = this.#nodes.find((node) => node.process === process);
      if (victim) this.kill(victim);
      onDeath?.();
    });
    this.toDatabase = new Wire({ kernel, name: 'Postgres', calls: this.calls });
    this.toRedis = new Wire({ kernel, name: 'Redis', calls: this.calls });
  }

  get nodes(): readonly SimNode[] {
    return this.#nodes;
  }

  /** A process with the product's own service and engine on the simulated stores. */
  boot(offsetMs = 0): SimNode {
    const { kernel, database, redis, modules } = this;
    this.#lives += 1;
    const process = new SimProcess(kernel, `node-${this.#lives}`, offsetMs);
    const { isDeaf, noSweeper, isRightOfAll, store: switched, rows: rowSwitch, ...changed } = this.#sabotage;
    const [wire, isHeard] = [this.toDatabase, () => !isDeaf && !kernel.random.percent(this.deafness)];
    const index = (changed.index ?? same)(
      new SimDueIndex({ process, redis, isHeard, wire: this.toRedis, shards: this.#shards }),
    );
    const rows = simTimerStore({ process, database, wire, switched: rowSwitch });
    const store: TimerStore = noSweeper ? { ...rows, overdue: async () => ({ entries: [], next: undefined }) } : rows;
    const engine = new TimerEngine({
      store,
      index,
      clock: process.clock,
      log: { ...silentLog, error: (fields, message) => this.#noteFault(fields, message) },
      retentionMs: 1e12,
      batchLimit: 8,
      exclusive: isRightOfAll ? alwaysExclusive : this.#rightOf(process),
      nodes: (changed.nodes ?? same)(simLiveNodes(process, redis, this.toRedis)),
      generations: this.#generationsOf(process),
      observe: (event) => this.observed.push(event),
    });
    const service = new HomeService({
      modules,
      rules: new LoadedRules({ modules, store: simRules({ process, database, wire }), log: silentLog }),
      store: (changed.homes ?? same)(new SimHomeStore({ process, database, wire, switched, modules })),
      updateIndex: (changes) => {
        engine.indexWriter.publish(changes);
      },
      clock: process.clock,
      limits: {
        batchSize: 4,
        parallelBatches: 2,
        parallelFires: 1,
        firesPerBatch: 4,
        waitingPerPlayer: 64,
        waitingTotal: 1000,
        pageMax: 500,
        // So few that a player's absence is settled in several batches.
        eventsPerHome: 4,
        eventsPerBatch: 10,
      },
      onFault: () => undefined,
    });
    for (const { name: module, timerKind: kind } of modules.all) {
      const settle = (owners: readonly string[]) => service.settle(owners);
      engine.register({ kind, module, isRetired: false, derived: true, settle });
    }
    engine.register(reminders);
    const node = { process, service, engine, hears: changed.hears ?? same };
    this.#nodes.push(node);
    this.#start(node);
    return node;
  }

  #noteFault({ err }: { readonly err?: unknown }, message: string): void {
    if (message === 'the index was not updated') this.faults.push(err);
  }

  kill(node: SimNode): void {
    this.#nodes = this.#nodes.filter((other) => other !== node);
    node.process.kill();
    const { kernel, database } = this;
    kernel.after(kernel.random.next() * 20, () => database.releaseRights(node.process.name));
  }

  /** A start that fails is tried again, as a supervisor does. */
  #start(node: SimNode): void {
    node.engine.start().catch(() => {
      if (node.process.isAlive) node.process.after(500, () => this.#start(node));
    });
  }

  /** Its process knows so by the connection on which it was taken. */
  #rightOf(process: SimProcess): Exclusive {
    const { database, toDatabase } = this;
    return {
      tryLock: async () => {
        if (database.hasRight('sweep', process.name)) return true;
        const take = () => process.isAlive && database.tryRight('sweep', process.name);
        return toDatabase.ask(process, 'right', take).catch(() => false);
      },
      release: async () => database.releaseRights(process.name),
    };
  }

  #generationsOf(process: SimProcess): Generations {
    const { toDatabase } = this;
    const { generations } = this.database;
    return {
      inForce: (firstShards) => toDatabase.ask(process, 'generation', () => generations.inForce(firstShards)),
      want: (shards) => toDatabase.ask(process, 'want', () => generations.want(shards)),
      startNext: () => toDatabase.ask(process, 'next generation', () => generations.startNext()),
      notePulse: (number, pulse) => toDatabase.ask(process, 'pulse', () => generations.notePulse(number, pulse)),
      past: () => toDatabase.ask(process, 'past', () => generations.past),
    };
  }
}

interface Dependencies {
  readonly process: SimProcess;
  readonly database: SimDatabase;
  readonly wire: Wire;
}

/** One process' way to the versions of the field's rules in the simulated database. */
const simRules = ({ process, database, wire }: Dependencies): Pick<RulesStore, 'newest' | 'at'> => {
  const read = <T>(apply: () => T): Promise<T> =>
    wire.ask(process, 'rules', apply).catch((error: unknown) => {
      throw new StoreFault('down', error);
    });
  return {
    newest: () => read(() => database.rulesNumber),
    at: (number) =>
      read(() => {
        const { growMs, atMs } = database.growths[number - 1] ?? { growMs: 0, atMs: 0 };
        const about = { source: 'operator', by: 'dee', reason: 'a sale', atMs } as const;
        return { versions: [{ number, version: number, module: 'field', config: { growMs }, ...about }], items: [] };
      }),
  };
};
