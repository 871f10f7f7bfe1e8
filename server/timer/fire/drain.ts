import type { Clock } from '../../runtime/clock.ts';

/** For what was aborted to end. */
const LAST_MS = 1000;

interface Drain {
  /** Ends when all that runs has ended. */
  readonly work: Promise<void>;
  /** Ends what would go on for long. */
  readonly abort: () => void;
  readonly drainMs: number;
  readonly after: Clock['after'];
}

/**
 * Waits for `work`; after `drainMs` aborts what is left of it, and a second later waits no more: a transaction ends by
 * itself within seconds, a handler that never comes back does not. Returns whether all has ended.
 */
export const drain = async ({ work, abort, drainMs, after }: Drain): Promise<boolean> => {
  const over = Promise.withResolvers<false>();
  const cancels = [after(drainMs, abort), after(drainMs + LAST_MS, () => over.resolve(false))];
  try {
    return await Promise.race([work.then(() => true), over.promise]);
  } finally {
    for (const cancel of cancels) cancel();
  }
};
