import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import type { Exclusive } from '../runtime/exclusive.ts';
import { Loop } from '../runtime/loop.ts';
import { StoreClock } from './clock/store-clock.ts';
import { Dispatchers } from './dispatch/dispatchers.ts';
import { type LiveNodes, loneNode } from './dispatch/live-nodes.ts';
import { Share } from './fire/batches.ts';
import { Deliveries } from './fire/deliveries.ts';
import { attemptLog } from './fire/failure.ts';
import type { FiringTools } from './fire/firing-tools.ts';
import { Intake } from './fire/intake.ts';
import { Reclaimer } from './fire/reclaimer.ts';
import { Sweeper } from './fire/sweeper.ts';
import { Worker } from './fire/worker.ts';
import { type DueIndex, IndexUnavailable } from './index/due-index.ts';
import { type Generations, OwnGenerations } from './index/generation.ts';
import { Dropper, raisePulse } from './index/generation-chores.ts';
import { GenerationWatch } from './index/generation-watch.ts';
import { IndexWriter } from './index/index-writer.ts';
import { OwnerCheck } from './index/owner-check.ts';
import { Rebuilder } from './index/rebuilder.ts';
import { Reconciler } from './index/reconciler.ts';
import { indexOperations } from './index-operations.ts';
import { Leader } from './leader.ts';
import type { Observe } from './model/engine-event.ts';
import { TimerKinds } from './model/timer-kinds.ts';
import type { TimerStore } from './model/timer-store.ts';
import { Pruner } from './pruner.ts';

const DEAD_RETENTION_MS = 90 * 86_400_000;

export interface EngineOptions {
  readonly store: TimerStore;
  readonly index: DueIndex;
  readonly clock: Clock;
  readonly log: EngineLog;
  /** The leader's lock, which one process has at a time. */
  readonly exclusive: Exclusive;
  readonly retentionMs: number;
  /** How long dead timers are retained. Default 90 days. */
  readonly deadRetentionMs?: number | undefined;
  /** The nodes that share the shards. Default: this process has all. */
  readonly nodes?: LiveNodes;
  /** The generation of the index in force. Default: the index dies with this process. */
  readonly generations?: Generations;
  /** The most timers in a hand-off and in a worker's batch. */
  readonly batchLimit?: number;
  readonly workers?: number;
  readonly observe?: Observe;
  /** Connections that all kinds with a `fire` share; each kind uses one at a time. Default 2. */
  readonly fireConnections?: number;
  /** How long running calls may go on when the engine stops. Default 20 s. */
  readonly drainMs?: number;
}

export type EngineParts = ReturnType<typeof enginePartsOf>;
type Ground = ReturnType<typeof groundOf>;
type Keeping = ReturnType<typeof keepingOf>;

/** Makes the parts of an engine and its loops, without starting them. */
export const enginePartsOf = (options: EngineOptions) => {
  const ground = groundOf(options);
  const keeping = keepingOf(ground);
  return { ...ground, ...keeping, ...firingOf(ground, keeping, options) };
};

const groundOf = (options: EngineOptions) => {
  const { nodes = loneNode, generations = new OwnGenerations(), batchLimit = 500 } = options;
  const { store, index, clock, log } = options;
  const logAttempt = attemptLog(log, clock);
  const observe: Observe = (event) => {
    logAttempt(event);
    options.observe?.(event);
  };
  const loop = (name: string, tick: (signal: AbortSignal) => Promise<number>): Loop =>
    new Loop({ name, tick, clock, log, isQuiet: isIndexAway });
  const storeClock = new StoreClock(store, clock);
  const kinds = new TimerKinds();
  const leader = new Leader({ exclusive: options.exclusive, makeLoop: loop });
  return { store, index, clock, log, leader, nodes, generations, batchLimit, observe, storeClock, kinds, loop };
};

/** All loops meet this error at once; the adapter logs it once. */
const isIndexAway = (error: unknown): boolean => error instanceof IndexUnavailable;

/** The parts that hand timers off and make the index match the rows. */
const keepingOf = (ground: Ground) => {
  const { index, nodes, generations, storeClock, batchLimit, clock, log, leader, loop } = ground;
  const dispatchers = new Dispatchers({ index, nodes, storeClock, limit: batchLimit, makeLoop: loop });
  const watch = new GenerationWatch({ generations, index, log, onChange: () => dispatchers.renew() });
  const follow = loop('follow the index', watch.tick);
  const rebuilder = new Rebuilder({ ...ground, watch, leads: () => leader.leads() });
  const rebuild = loop('rebuild', rebuilder.tick);
  const ownerCheck = new OwnerCheck({
    ...ground,
    isIndexWhole: async () => index.marks.isWhole((await watch.look()).pulse),
  });
  const checkOwners = loop('check owners', ownerCheck.tick);
  const indexWriter = new IndexWriter({
    index,
    look: async () => {
      rebuild.wake();
      // A failure is ignored here: this process just wrote to the database, and the watch asks again.
      await watch.look().catch(() => undefined);
    },
    onMissed: (owners) => ownerCheck.note(owners) && checkOwners.wake(),
    onFault: (error) => log.error({ err: error }, 'the index was not updated'),
  });
  const isIndexWhole = (): boolean => index.isAvailable && !rebuilder.isNeeded;
  const whole = { ...ground, isIndexWhole };
  const reconciler = new Reconciler(whole);
  leader.add('reconcile', reconciler.tick);
  leader.add('pulse', raisePulse(whole));
  leader.add('drop', new Dropper({ ...whole, monotonicMs: clock.monotonicMs }).tick);
  const wakeRebuilder = (): void => rebuild.wake();
  const operations = indexOperations({ index, generations, nodes, reconciler, watch, wakeRebuilder });
  return {
    dispatchers,
    watch,
    follow,
    rebuilder,
    indexWriter,
    checkOwners,
    isIndexWhole,
    rebuild,
    indexOperations: operations,
  };
};

/** The parts from a delivery to an ack, and the safety net below. */
const firingOf = (ground: Ground, { indexWriter, rebuilder }: Keeping, options: EngineOptions) => {
  const { index, clock, batchLimit: limit, leader, loop } = ground;
  const tools: FiringTools = { ...ground, indexWriter };
  const intake = new Intake({ tools, limit, share: new Share(options.fireConnections ?? 2) });
  const deliveries = new Deliveries({ index, after: clock.after });
  const source = { index, intake, deliveries, limit };
  const sweeper = new Sweeper({ ...ground, tools, intake, rebuilder, limit });
  const reclaimer = new Reclaimer({ ...source, monotonicMs: clock.monotonicMs });
  const { retentionMs, deadRetentionMs = DEAD_RETENTION_MS } = options;
  const pruner = new Pruner({ ...ground, retentionMs, deadRetentionMs });
  const workers = Array.from({ length: options.workers ?? 2 }, (_, number) =>
    loop(`worker ${number}`, new Worker(source).tick),
  );
  leader.add('sweep', sweeper.tick, sweeper.besideLeader);
  leader.add('prune', pruner.tick);
  const net = [loop('reclaim', reclaimer.tick), loop('refresh kinds', sweeper.refresh)];
  return { intake, deliveries, sweeper, workers, net };
};
