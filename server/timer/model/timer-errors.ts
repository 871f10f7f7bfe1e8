import { causesOf, isA } from '../../../shared/game-code.ts';

/**
 * Thrown in a handler where another transaction has what it wants: the batch is rolled back and comes again after
 * 10 to 100 ms, without counting as an attempt. A handler does not catch it; it may throw it for locks of its own.
 */
export class Locked extends Error {
  readonly code = 'timer/locked';
  readonly retryable = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'Locked';
  }
}

/** Whether an error is a `Locked`, or was caused by one. */
export const isLocked = (error: unknown): boolean => causesOf(error).some((one) => isA(one, Locked));

/**
 * A handler did not come back in time, or let its transaction idle. The code is that of a connection that was lost, so
 * that the store closes the one it had: whatever the handler does later, it does nothing in a transaction of others.
 */
export class HandlerStuck extends Error {
  readonly code = '25P03';

  constructor(what: string) {
    super(what);
    this.name = 'HandlerStuck';
  }
}

/** A call of timers that the caller has to change. Nothing was written. The message says what is wrong, and what to do. */
export class TimerRefused extends Error {
  readonly code: 'kind/unknown' | 'key/reused' | 'due/endless';
  readonly retryable = false;

  constructor(code: TimerRefused['code'], message: string) {
    super(message);
    this.name = 'TimerRefused';
    this.code = code;
  }
}
