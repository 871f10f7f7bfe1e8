import type { Tx } from '../../../server/timer/model/timer-store.ts';
import type { TimerRows } from './timer-rows.ts';

/** A transaction of the fake database. */
export class FakeTx implements Tx {
  /** There are no locks to wait for. */
  readonly waitsForLocks = false;
  readonly rows: TimerRows;
  #isOver = false;

  constructor(rows: TimerRows) {
    this.rows = rows;
  }

  openRows(): TimerRows {
    if (this.#isOver) throw new Error('the transaction of this handler is over');
    return this.rows;
  }

  end(): void {
    this.#isOver = true;
  }

  query(): Promise<never> {
    return Promise.reject(new Error('the fake database has no SQL'));
  }
}
