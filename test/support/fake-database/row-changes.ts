import {
  changedTimer,
  dueAtOf,
  movedTo,
  newTimer,
  orderedAnew,
  UNCLAIMED,
} from '../../../server/timer/model/changed-timer.ts';
import { isOfThing, PAUSED_UNTIL_MS, type Timer } from '../../../server/timer/model/timer.ts';
import type {
  ChangeOutcome,
  ScheduleOutcome,
  ScheduleRequest,
  TimerChange,
} from '../../../server/timer/model/timer-changes.ts';
import type { NextTurn, TimerDeferral, TimerUpdate } from '../../../server/timer/model/timer-store.ts';
import { latenessOf } from '../../../server/timer/recurrence/misfire.ts';
import { givesRecurrence, recurrenceOf } from '../../../server/timer/recurrence/recurrence.ts';
import type { TimerRows } from './timer-rows.ts';

/** The possible changes of a row: the same rules as in Postgres' statements. */
export class RowChanges {
  readonly #clockMs: () => number;
  /** A kind that keeps no rows of finished timers. */
  readonly #isForgotten: (kind: string) => boolean;

  constructor(clockMs: () => number, isForgotten: (kind: string) => boolean) {
    this.#clockMs = clockMs;
    this.#isForgotten = isForgotten;
  }

  save(rows: TimerRows, updates: readonly TimerUpdate[]): readonly Timer[] {
    return updates.flatMap(({ timerId, revision, again, lateness, ...change }) => {
      const timer = rows.get(timerId);
      if (timer?.revision !== revision || (timer.state !== 'scheduled' && timer.state !== 'dead')) return [];
      const next = again ? nextTurnOf(timer, again) : {};
      const judged = { lateness: lateness ?? timer.lateness };
      const fresh = { lastError: undefined, result: undefined, ...UNCLAIMED };
      return this.update(rows, timer, { ...fresh, ...change, ...next, ...judged });
    });
  }

  schedule(rows: TimerRows, wanted: ScheduleRequest): ScheduleOutcome {
    const present = rows.find(wanted);
    if (present?.state === 'scheduled') return this.#taken(rows, present, wanted);
    const timer = newTimer(rows.nextId(), asStored(wanted) ?? wanted, this.#clockMs());
    rows.set(timer);
    return { outcome: 'applied', timer };
  }

  change(rows: TimerRows, change: TimerChange): ChangeOutcome {
    const timer = rows.find(change.target);
    if (timer?.state === 'scheduled' && isOfThing(timer.id)) return { outcome: 'derived' };
    if (timer?.state === 'completed') return { outcome: 'already-fired' };
    if (timer === undefined || timer.state === 'cancelled') return { outcome: 'not-found' };
    return timer.state === 'dead' ? this.#changeDead(rows, timer, change) : this.#changeScheduled(rows, timer, change);
  }

  #taken(rows: TimerRows, present: Timer, wanted: ScheduleRequest): ScheduleOutcome {
    if (!wanted.orMove || wanted.owner !== present.owner) return { outcome: 'duplicate', timer: present };
    const { payload, misfire = present.misfire, ...more } = asStored(wanted) ?? wanted;
    const renewed = {
      ...present,
      misfire,
      recurrence: givesRecurrence(more) ? recurrenceOf(more) : present.recurrence,
    };
    const nowMs = this.#clockMs();
    const moved = movedTo(present, dueAtOf(wanted, nowMs), nowMs);
    return { outcome: 'moved', timer: this.update(rows, renewed, { ...moved, ...orderedAnew(renewed, payload) }) };
  }

  #changeScheduled(rows: TimerRows, timer: Timer, change: TimerChange): ChangeOutcome {
    const changed = changedTimer(timer, asStored(change) as TimerChange, this.#clockMs());
    return { outcome: 'applied', timer: changed === undefined ? timer : this.update(rows, timer, changed) };
  }

  #changeDead(rows: TimerRows, timer: Timer, change: TimerChange): ChangeOutcome {
    if (change.change === 'revive') return this.#revive(rows, timer);
    if (change.change !== 'cancel' && change.change !== 'complete') return { outcome: 'already-fired' };
    return this.#changeScheduled(rows, timer, change);
  }

  #revive(rows: TimerRows, timer: Timer): ChangeOutcome {
    if (rows.find({ kind: timer.kind, subject: timer.subject })?.state === 'scheduled') return { outcome: 'duplicate' };
    const fireAtMs = this.#clockMs();
    return {
      outcome: 'applied',
      timer: this.update(rows, timer, { state: 'scheduled', fireAtMs, attempt: 0 }),
    };
  }

  defer(rows: TimerRows, { timerId, revision, byMs, claims }: TimerDeferral): readonly Timer[] {
    const timer = rows.get(timerId);
    if (timer?.revision !== revision || timer.state !== 'scheduled') return [];
    const nowMs = this.#clockMs();
    const claimed = { claims: timer.claims + claims, claimedAtMs: claims > 0 ? nowMs : undefined };
    const deferred = { ...timer, ...claimed, fireAtMs: nowMs + byMs, revision: revision + 1 };
    rows.set(deferred);
    return [deferred];
  }

  update(rows: TimerRows, timer: Timer, change: Partial<Timer>): Timer {
    const changed = { ...timer, ...change, revision: timer.revision + 1, updatedAtMs: this.#clockMs() };
    const isPaused = changed.state === 'scheduled' && changed.fireAtMs === PAUSED_UNTIL_MS;
    const result = changed.result ?? undefined;
    const updated = { ...changed, result, isPaused, lateness: latenessOf(changed.lateness, changed) };
    const isOver = updated.state === 'completed' || updated.state === 'cancelled';
    if (isOver && timer.state === 'scheduled' && this.#isForgotten(timer.kind)) rows.delete(timer.id);
    else rows.set(updated);
    return updated;
  }
}

const nextTurnOf = (timer: Timer, next: NextTurn): Partial<Timer> => ({
  dueAtMs: next.dueAtMs,
  turn: next.turn,
  payload: next.payload === undefined ? timer.payload : asStored(next.payload),
  recurrence: next.recurrence ?? timer.recurrence,
});

/** As a column of type jsonb gives it back. */
const asStored = <T>(value: T): T | undefined => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
