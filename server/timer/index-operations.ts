import { readOptions } from '../../shared/options/read-options.ts';
import { fields, value, whole } from '../../shared/options/shapes.ts';
import type { LiveNodes } from './dispatch/live-nodes.ts';
import { rendezvous } from './dispatch/shard-owners.ts';
import { type DueIndex, IndexUnavailable } from './index/due-index.ts';
import type { Generation, Generations } from './index/generation.ts';
import type { GenerationWatch } from './index/generation-watch.ts';
import type { Reconciled, Reconciler } from './index/reconciler.ts';
import { timerName } from './write/timer-calls.ts';

/**
 * `kibble.index`: what an operator may do with the due index, on any process, also a gateway. Each call throws what the
 * store throws.
 */
export interface IndexCare {
  /**
   * Gives the index another number of shards while all processes serve. Resolves when the request is stored; the leader
   * begins within a second (`state` shows it). Throws `OptionsRefused` for an impossible number: allowed are 1 to 1024,
   * for the timing wheel 1.
   */
  reshard(shards: number): Promise<void>;

  /** Throws what `reshard` would throw for an impossible number, and changes nothing. */
  checkReshard(shards: number): void;

  /** Refills the index from the rows. A `reshard` that has not begun stays asked for: it refills the index too. */
  rebuild(): Promise<void>;

  /**
   * Compares all entries that are not due yet with the rows now and heals them. May also throw `IndexUnavailable`, also
   * if the index was being refilled meanwhile: then all rows that are still to come would count as missing.
   */
  reconcile(): Promise<Reconciled>;

  /** The index entries of an owner, in due order. Undefined while the index does not respond. */
  ofOwner(owner: string): Promise<readonly OwnEntry[] | undefined>;

  state(): Promise<IndexState>;
}

/** An entry of an owner. */
export interface OwnEntry {
  readonly timerId: string;
  readonly fireAtMs: number;
}

export interface IndexState {
  readonly generation: number;
  readonly shards: number;
  /** The number of shards that was asked for and has not begun. */
  readonly wantedShards: number | undefined;
  /** Whether the index responds and is complete, as far as it can know. */
  readonly isWhole: boolean;
  /** Undefined while the index does not respond. */
  readonly inside: IndexInside | undefined;
}

export interface IndexInside {
  /** By shard: the node that hands it off; undefined if none lives. */
  readonly owners: readonly (string | undefined)[];
  /** By shard: the number of timers that are not due yet. */
  readonly counts: readonly number[];
  /** Age of the oldest unacked delivery; 0 if there is none. */
  readonly oldestUnackedMs: number;
}

interface Dependencies {
  readonly index: Pick<DueIndex, 'inUse' | 'orders' | 'queue' | 'marks'>;
  readonly generations: Generations;
  readonly watch: GenerationWatch;
  readonly nodes: LiveNodes;
  readonly reconciler: Reconciler;
  readonly wakeRebuilder: () => void;
}

export const indexOperations = (dependencies: Dependencies): IndexCare => {
  const { index, generations, watch, reconciler, wakeRebuilder } = dependencies;
  const want = async (shards?: number): Promise<void> => {
    await watch.look();
    await generations.want(shards);
    wakeRebuilder();
  };
  const checkReshard = (shards: number): void => {
    const max = index.inUse.maxShards;
    readOptions(fields({ shards: max === 1 ? oneShard : whole({ min: 1, max }) }), { shards }, 'reshard');
  };
  return {
    reshard: async (shards) => {
      checkReshard(shards);
      await want(shards);
    },
    checkReshard,
    rebuild: () => want(),
    reconcile: async () => {
      const before = await wholeGeneration(dependencies);
      const found = await reconciler.reconcile();
      if ((await wholeGeneration(dependencies)) !== before) throw refilled();
      return found;
    },
    ofOwner: async (owner) => {
      readOptions(ofOwnerArguments, { owner }, 'ofOwner');
      const entries = await index.orders.listByOwner(owner).catch(() => undefined);
      return entries?.map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs }));
    },
    state: async () => {
      const { number: generation, shards, wantedShards, pulse } = await watch.look();
      const seen = await look(dependencies, { shards, pulse }).catch(() => undefined);
      return { generation, shards, wantedShards, isWhole: seen?.isWhole ?? false, inside: seen?.inside };
    },
  };
};

const oneShard = value<number>(
  (given) => given === 1,
  'the timing wheel has one shard: give a Redis (redis, REDIS_URL) to have more',
);

export const ofOwnerArguments = fields({ owner: timerName });

const refilled = (): IndexUnavailable =>
  new IndexUnavailable(new Error('it is being refilled: compare it when it is whole'));

/** Throws `IndexUnavailable` if the generation in force is not whole. */
const wholeGeneration = async ({ watch, index }: Dependencies): Promise<number> => {
  const { number, pulse } = await watch.look();
  if (!(await index.marks.isWhole(pulse))) throw refilled();
  return number;
};

const look = async (
  { index, nodes }: Dependencies,
  { shards, pulse }: Pick<Generation, 'shards'> & { readonly pulse: number },
): Promise<{ isWhole: boolean; inside: IndexInside }> => {
  const [isWhole, counts, unackedMs, live] = await Promise.all([
    index.marks.isWhole(pulse),
    index.orders.counts(),
    index.queue.oldestUnackedMs(),
    nodes.list(),
  ]);
  const owners = Array.from({ length: shards }, (_, shard) => rendezvous(shard, live));
  return { isWhole, inside: { owners, counts, oldestUnackedMs: Math.max(0, ...unackedMs) } };
};
