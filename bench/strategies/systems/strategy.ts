import type { Clock } from '../../../server/runtime/clock.ts';

/** A timer of the comparison. Ids are small whole numbers, ten an owner. */
export interface Item {
  readonly id: number;
  readonly dueAtMs: number;
}

/** A change of a waiting timer. The caller knows its row, and so its earlier due time. */
export interface Move extends Item {
  readonly fromDueAtMs: number;
}

/** A way to find due timers. It hands each timer off once, and never early. */
export interface Strategy {
  schedule(items: readonly Item[]): Promise<void>;
  /** Only where the strategy has such a change. */
  move?(moves: readonly Move[]): Promise<void>;
  /** Its loops. A turn hands off the due timers by the clock, and returns how long to sleep. */
  readonly loops: readonly (() => Promise<number>)[];
  /** Only where a change may wake a loop; called once, before the loops run. */
  onWake?(wake: (loop: number) => void): void;
  /** The length of the queue; only if the hand-off uses one, so that a turn ends before the worker has the timers. */
  waiting?(): Promise<number>;
  close(): Promise<void>;
}

export interface Surroundings {
  readonly clock: Clock;
  /** Used by this strategy alone; empty. */
  readonly redisUrl: string;
  readonly postgresUrl: string;
  /** Passes these timers to a worker. */
  readonly hand: (ids: readonly number[]) => void;
}

export type OpenStrategy = (surroundings: Surroundings) => Promise<Strategy>;
