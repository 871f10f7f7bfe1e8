import type { Tx } from '../../timer/model/timer-store.ts';
import type { MemoryTimerRows } from './memory-timer-rows.ts';

/** A transaction of the memory store. */
export class MemoryTx implements Tx {
  /** There are no locks to wait for. */
  readonly waitsForLocks = false;
  readonly rows: MemoryTimerRows;
  #isOver = false;

  constructor(rows: MemoryTimerRows) {
    this.rows = rows;
  }

  openRows(): MemoryTimerRows {
    if (this.#isOver) throw new Error('the transaction of this handler is over');
    return this.rows;
  }

  end(): void {
    this.#isOver = true;
  }

  query(): Promise<never> {
    return Promise.reject(new Error('the memory store has no SQL'));
  }
}
