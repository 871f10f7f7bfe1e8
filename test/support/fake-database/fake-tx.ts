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

  /** A handler gets a copy of its transaction: of its own, not of its class. */
  readonly query = (): Promise<never> => Promise.reject(new Error('the fake database has no SQL'));
}
