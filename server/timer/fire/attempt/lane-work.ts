import type { IndexEntry } from '../../model/index-entry.ts';
import type { TakenTimer } from './taken-timer.ts';

/** What transactions came to: entries of timers that come again, and how many fired, failed or were moved by others. */
export interface Ran {
  readonly entries: readonly IndexEntry[];
  readonly finished: number;
}

/** What one begin came to. */
export interface LaneTurn {
  /** How many fired, failed or were moved by others: what comes again unchanged is not among them. */
  readonly finished: number;
}

/** How a lane works off its timers: in transactions, or by calls. */
export interface LaneWork {
  /** How many timers it would begin with now; 0: none. */
  readonly room: number;
  /** How many it is at work on. */
  readonly running: number;
  /** How many it would be at work on if as many waited. */
  readonly capacity: number;
  /** Of those that wait, up to `room`, those to begin with. */
  choose(waiting: readonly TakenTimer[]): readonly TakenTimer[];
  /**
   * Works them off: settles and ends each of them; never throws. `onRoom` says, at any time, that there is room again
   * and what was finished since.
   */
  begin(taken: readonly TakenTimer[], onRoom: (turn: LaneTurn) => void): Promise<void>;
}
