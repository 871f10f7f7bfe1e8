import { beyondClock } from '../model/changed-timer.ts';
import type { Timer } from '../model/timer.ts';
import type { ChangeOutcome, OwnersChange, Reused, ScheduleRequest, TimerChange } from '../model/timer-changes.ts';
import { TimerRefused } from '../model/timer-refused.ts';
import type { TimerCommand } from '../model/timer-store.ts';
import type { OnceOnly, ScheduleAnswer, TimerWrites } from '../model/timer-writes.ts';

/** What a call returns for a timer. */
export type Written = Timer | ChangeOutcome | ScheduleAnswer;

type Run<T> = (writes: TimerWrites) => Promise<T>;

/** Does a call once, for its key. Undefined: the key stands for another call. */
export type Once = <T extends readonly Written[]>(command: TimerCommand, work: Run<T>) => Promise<T | undefined>;

export interface Calls {
  /** Of calls without a key. */
  readonly writes: TimerWrites;
  readonly once: Once;
}

/** Calls with and without a key, as the caller has it. */
export const keyedWrites = ({ writes, once }: Calls) => {
  const run = <T extends readonly Written[]>(
    body: object,
    { idempotencyKey }: OnceOnly,
    work: Run<T>,
  ): Promise<T | undefined> => {
    const written = idempotencyKey === undefined ? work(writes) : once({ id: idempotencyKey, body }, work);
    return written.catch(refuseBeyondClock);
  };

  return {
    /** `asked`: as the caller has it. A calendar's first time is another one when the call is sent again. */
    schedule: async (
      timers: readonly ScheduleRequest[],
      asked: readonly object[],
      options: OnceOnly = {},
    ): Promise<readonly ScheduleAnswer[]> => {
      if (timers.length === 0) return [];
      return (await run({ timers: asked }, options, (on) => on.schedule(timers))) ?? timers.map(reused);
    },

    change: async (changes: readonly TimerChange[], options: OnceOnly = {}): Promise<readonly ChangeOutcome[]> => {
      if (changes.length === 0) return [];
      return (await run({ changes }, options, (on) => on.change(changes))) ?? changes.map(reused);
    },

    changeByOwner: async (change: OwnersChange, options: OnceOnly = {}): Promise<readonly Timer[]> => {
      if (change.owners.length === 0) return [];
      const timers = await run(change, options, (on) => on.changeByOwner(change));
      if (timers !== undefined) return timers;
      throw new TimerRefused('key/reused', 'this idempotencyKey was used for another call: send a new one');
    },
  };
};

/** Postgres' constraint on due times. */
const refuseBeyondClock = (error: unknown): never => {
  const { code, constraint } = error as { readonly code?: unknown; readonly constraint?: unknown };
  throw code === '23514' && /_(due|fire)_at_check$/.test(String(constraint)) ? beyondClock(error) : error;
};

const reused = (): Reused => ({ outcome: 'reused' });
