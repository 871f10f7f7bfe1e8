import { newTimer } from '../../../server/timer/model/changed-timer.ts';
import { entryOf, type IndexChanges } from '../../../server/timer/model/index-entry.ts';
import { isOfThing, type Timer } from '../../../server/timer/model/timer.ts';
import type { HomeHold } from '../../../server/timer/model/timer-store.ts';
import type { TimerRows } from './timer-rows.ts';

/** The wanted timers of things. No key twice. */
export interface ThingTimers {
  readonly put?: readonly { kind: string; subject: string; owner: string; dueAtMs: number }[];
  readonly end?: readonly { kind: string; subject: string }[];
}

/** A thing's row after a save: another due time is another revision of the same row. */
export const changeThings = (rows: TimerRows, { put = [], end = [] }: ThingTimers, nowMs: number): IndexChanges => {
  const ended = end.flatMap((key) => {
    const timer = rows.thing(key);
    if (timer?.state !== 'scheduled') return [];
    const after: Timer = { ...timer, state: 'cancelled', revision: timer.revision + 1, updatedAtMs: nowMs };
    rows.set(after);
    return entryOf(after);
  });
  const begun = put.flatMap((wanted) => {
    const timer = rows.thing(wanted);
    if (timer?.state === 'scheduled' && timer.dueAtMs === wanted.dueAtMs) return [];
    const dated = { dueAtMs: wanted.dueAtMs, fireAtMs: wanted.dueAtMs, createdAtMs: nowMs, updatedAtMs: nowMs };
    const after: Timer = timer
      ? { ...timer, ...dated, state: 'scheduled', revision: timer.revision + 1 }
      : newTimer(rows.nextThingId(), wanted, nowMs);
    rows.set(after);
    return entryOf(after);
  });
  return { put: begun, remove: ended };
};

type Held = HomeHold & { readonly updatedAtMs: number };

/** Homes on hold. */
export class FakeHolds {
  readonly #clockMs: () => number;
  readonly #holds = new Map<string, Held>();

  constructor(clockMs: () => number) {
    this.#clockMs = clockMs;
  }

  hold(holds: readonly HomeHold[]): void {
    for (const hold of holds) {
      const { attempt = 0, lastError } = this.#holds.get(hold.owner) ?? {};
      const kept = hold.attempt > 0 ? {} : { attempt, lastError };
      this.#holds.set(hold.owner, { ...hold, ...kept, updatedAtMs: this.#clockMs() });
    }
  }

  release(owners: readonly string[]): void {
    for (const owner of owners) this.#holds.delete(owner);
  }

  /** The timer as the hold of its home has it, if it was due when the hold began. */
  held(timer: Timer): Timer {
    const hold = isOfThing(timer.id) ? this.#holds.get(timer.owner) : undefined;
    if (!hold || timer.dueAtMs > hold.updatedAtMs) return timer;
    return {
      ...timer,
      fireAtMs: Math.max(timer.dueAtMs, hold.untilMs),
      attempt: hold.attempt,
      lastError: hold.lastError,
      updatedAtMs: Math.max(timer.updatedAtMs, hold.updatedAtMs),
    };
  }
}
