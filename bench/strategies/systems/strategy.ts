import type { Clock } from '../../../server/runtime/clock.ts';

/** A timer of the comparison. Ids are small whole numbers, ten an owner. */
export interface Item {
  readonly id: number;
  readonly dueAtMs: number;
}

/** A change of a waiting timer. Whoever asks knows its row, and so when it was due before. */
export interface Move extends Item {
  readonly fromDueAtMs: number;
}

/** A way to find out what is due. It hands each timer off once, and never early. */
export interface Strategy {
  schedule(items: readonly Item[]): Promise<void>;
  /** Only where the strategy has such a change. */
  move?(moves: readonly Move[]): Promise<void>;
  /** Its loops. A turn hands off what it finds due by the clock, and answers how long to sleep. */
  readonly loops: readonly (() => Promise<number>)[];
  /** Only where a change may wake a loop; called once, before the loops run. */
  onWake?(wake: (loop: number) => void): void;
  /** How many wait; only where the hand-off goes through a queue, and a turn ends before the worker has the timers. */
  waiting?(): Promise<number>;
  close(): Promise<void>;
}

export interface Surroundings {
  readonly clock: Clock;
  /** Nobody else uses them; empty. */
  readonly redisUrl: string;
  readonly postgresUrl: string;
  /** A worker gets these timers into its hands. */
  readonly hand: (ids: readonly number[]) => void;
}

export type OpenStrategy = (surroundings: Surroundings) => Promise<Strategy>;
