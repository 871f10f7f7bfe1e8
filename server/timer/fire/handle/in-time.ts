import type { Clock } from '../../../runtime/clock.ts';

/** A little longer than Postgres lets a statement take, or a transaction idle. */
const MOST_MS = 5000;

/**
 * A handler did not come back. The code is that of a connection that was lost, so that the store closes the one it had:
 * whatever the handler does later, it does nothing in a transaction of others.
 */
export class HandlerStuck extends Error {
  readonly code = '25P03';

  constructor() {
    super(`the handler did not come back within ${MOST_MS} ms`);
    this.name = 'HandlerStuck';
  }
}

/** Throws `HandlerStuck` when it takes too long. */
export const inTime = <T>(after: Clock['after'], work: Promise<T>): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const cancel = after(MOST_MS, () => reject(new HandlerStuck()));
    work.then(resolve, reject).finally(cancel);
  });
