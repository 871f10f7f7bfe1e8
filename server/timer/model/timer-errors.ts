import { causesOf, isA } from '../../../shared/game-code.ts';

/**
 * Thrown in a handler that needs a row which another transaction has locked. The batch is rolled back and retried after
 * 10 to 100 ms; that is no attempt. A handler does not catch it; it may throw it for its own locks.
 */
export class Locked extends Error {
  readonly code = 'timer/locked';
  readonly retryable = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'Locked';
  }
}

export const isLocked = (error: unknown): boolean => causesOf(error).some((one) => isA(one, Locked));

/**
 * A handler did not return in time, or let its transaction idle. The code is the one of a lost connection, so the store
 * closes the handler's connection: whatever the handler does later, it does not happen in a transaction of others.
 */
export class HandlerStuck extends Error {
  readonly code = '25P03';

  constructor(what: string) {
    super(what);
    this.name = 'HandlerStuck';
  }
}

/** The caller has to change this call of `timers`. Nothing was written. The message says what is wrong and what to do. */
export class TimerRefused extends Error {
  readonly code: 'kind/unknown' | 'key/reused' | 'due/endless';
  readonly retryable = false;

  constructor(code: TimerRefused['code'], message: string) {
    super(message);
    this.name = 'TimerRefused';
    this.code = code;
  }
}

/**
 * Code of the game has to use its transaction otherwise. `transaction/over`: the work for which it was lent has
 * returned. `transaction/ended`: the work began, committed or rolled back. `transaction/failed`: a statement failed, and
 * the work went on. `transaction/query`: the `query` of a `tx` does not return `{ rows }`. `transaction/none`: a `tx`
 * has not begun.
 */
export class TransactionRefused extends Error {
  readonly code: `transaction/${'over' | 'ended' | 'failed' | 'query' | 'none'}`;
  readonly retryable = false;

  constructor(code: TransactionRefused['code'], message: string) {
    super(message);
    this.name = 'TransactionRefused';
    this.code = code;
  }
}
