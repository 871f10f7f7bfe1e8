import type { Clock } from '../../../runtime/clock.ts';
import { HandlerStuck } from '../../model/locked.ts';

/** A little longer than Postgres lets a statement take, or a transaction idle. */
const MOST_MS = 5000;

/** Throws `HandlerStuck` when it takes too long. */
export const inTime = <T>(after: Clock['after'], work: Promise<T>): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const cancel = after(MOST_MS, () => reject(new HandlerStuck(`the handler did not come back within ${MOST_MS} ms`)));
    work.then(resolve, reject).finally(cancel);
  });
