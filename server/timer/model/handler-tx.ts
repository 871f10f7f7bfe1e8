import type { Tx } from './timer-store.ts';
import type { TimerWriter } from './timer-writes.ts';

/**
 * What a `fire` handler gets: the transaction in which its timers are locked. Each try has a new one, which is of no
 * use afterwards. Lock order: these timers first, then what the handler takes. Timers and homes that another
 * transaction has locked are not waited for: `Locked` is thrown, and the batch comes again after 10 to 100 ms.
 */
export interface HandlerTx extends Tx {
  /**
   * Timer writes in this transaction; the index is told after the commit. `schedule` of a timer that is being fired
   * lets it come again: the same row, its next turn.
   */
  readonly timers: TimerWriter;
  /**
   * Runs `run` after the commit, and not at all if there is none. A crash between the two loses it. What it throws, or
   * rejects with, is logged.
   */
  afterCommit(run: () => unknown): void;
}

export const isHandlerTx = (tx: Tx): tx is HandlerTx => 'afterCommit' in tx;
