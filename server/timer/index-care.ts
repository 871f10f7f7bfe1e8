import type { TimerEngine } from './timer-engine.ts';

/** What an operator may ask of the due index. Nothing in here can lose a timer: the rows are the truth. */
export interface IndexCare {
  /** Gives the index another number of shards. Throws `RangeError` for a number that cannot be. */
  reshard(shards: number): Promise<void>;
  /** Asks for a refill from the rows, while everything serves; resolves before it is done. */
  rebuild(): Promise<void>;
  /** Compares index and rows now, and heals what differs. */
  reconcile(): Promise<unknown>;
  state(): Promise<IndexState>;
}

export interface IndexState {
  readonly generation: number;
  readonly shards: number;
  /** Shards of the generation that is asked for and not begun. */
  readonly wantedShards: number | undefined;
  /** Whether the index answers and lacks nothing, as far as it can tell. */
  readonly isWhole: boolean;
  /** Undefined while the index does not answer. */
  readonly inside: IndexInside | undefined;
}

export interface IndexInside {
  /** Of each shard the node that hands it off; undefined where none lives. */
  readonly owners: readonly (string | undefined)[];
  /** Of each shard how many timers wait to be due. */
  readonly counts: readonly number[];
  /** Age of the oldest delivery that is not acked; 0 when there is none. */
  readonly oldestUnackedMs: number;
}

/** As much care as the engine offers by itself: it refills, and reconciles all the while. */
export const engineCare = (engine: TimerEngine): IndexCare => ({
  reshard: async (shards) => {
    throw new RangeError(`the index cannot have ${shards} shards: it keeps what it was started with`);
  },
  rebuild: async () => engine.rebuild(),
  reconcile: async () => undefined,
  state: () => engine.indexState(),
});
