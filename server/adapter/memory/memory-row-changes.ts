import { newTimer } from '../../timer/model/new-timer.ts';
import type { Timer } from '../../timer/model/timer.ts';
import type {
  ChangeOutcome,
  NewTimer,
  NextTurn,
  ScheduleOutcome,
  TimerChange,
  TimerUpdate,
} from '../../timer/model/timer-store.ts';
import { latenessOf } from '../../timer/recurrence/misfire.ts';
import type { MemoryTimerRows } from './memory-timer-rows.ts';

/** What may become of a row: the rules that Postgres' statements have in SQL. */
export class MemoryRowChanges {
  readonly #clockMs: () => number;
  #ids = 0;

  constructor(clockMs: () => number) {
    this.#clockMs = clockMs;
  }

  save(rows: MemoryTimerRows, updates: readonly TimerUpdate[]): readonly Timer[] {
    return updates.flatMap(({ timerId, revision, again, lateness, ...change }) => {
      const timer = rows.get(timerId);
      if (timer?.revision !== revision || (timer.state !== 'scheduled' && timer.state !== 'dead')) return [];
      const next = again ? nextTurnOf(timer, again) : {};
      const judged = { lateness: lateness ?? timer.lateness };
      const fresh = { lastError: undefined, result: undefined, ...UNCLAIMED };
      return this.update(rows, timer, { ...fresh, ...change, ...next, ...judged });
    });
  }

  schedule(rows: MemoryTimerRows, wanted: NewTimer): ScheduleOutcome {
    const present = rows.find(wanted);
    if (present?.state === 'scheduled') return { outcome: 'duplicate', timer: present };
    this.#ids += 1;
    const timer = newTimer(String(this.#ids), asStored(wanted) ?? wanted, this.#clockMs());
    rows.set(timer);
    return { outcome: 'applied', timer };
  }

  change(rows: MemoryTimerRows, change: TimerChange, derivedKinds: readonly string[]): ChangeOutcome {
    const timer = rows.find(change.target);
    if (timer !== undefined && derivedKinds.includes(timer.kind)) return { outcome: 'derived' };
    if (timer?.state === 'completed') return { outcome: 'already-fired' };
    if (timer === undefined || timer.state === 'cancelled') return { outcome: 'not-found' };
    if (change.change === 'cancel') return { outcome: 'applied', timer: this.cancel(rows, timer) };
    if (change.change === 'revive') return this.#revive(rows, timer);
    if (timer.state === 'dead') return { outcome: 'already-fired' };
    const dueAtMs = change.change === 'shift' ? timer.dueAtMs + change.byMs : change.dueAtMs;
    return { outcome: 'applied', timer: this.move(rows, timer, dueAtMs) };
  }

  #revive(rows: MemoryTimerRows, timer: Timer): ChangeOutcome {
    if (timer.state === 'scheduled') return { outcome: 'applied', timer };
    if (rows.find({ kind: timer.kind, subject: timer.subject })?.state === 'scheduled') return { outcome: 'duplicate' };
    const fireAtMs = Math.max(timer.dueAtMs, this.#clockMs());
    return {
      outcome: 'applied',
      timer: this.update(rows, timer, { state: 'scheduled', fireAtMs, attempt: 0 }),
    };
  }

  move(rows: MemoryTimerRows, timer: Timer, dueAtMs: number): Timer {
    return this.update(rows, timer, { dueAtMs, fireAtMs: dueAtMs, attempt: 0, ...UNCLAIMED, lastError: undefined });
  }

  cancel(rows: MemoryTimerRows, timer: Timer): Timer {
    return this.update(rows, timer, { state: 'cancelled', ...UNCLAIMED });
  }

  update(rows: MemoryTimerRows, timer: Timer, change: Partial<Timer>): Timer {
    const changed = { ...timer, ...change, revision: timer.revision + 1, updatedAtMs: this.#clockMs() };
    const updated = { ...changed, lateness: latenessOf(changed.lateness, changed) };
    rows.set(updated);
    return updated;
  }
}

const UNCLAIMED = { claims: 0, claimedAtMs: undefined };

const nextTurnOf = (timer: Timer, next: NextTurn): Partial<Timer> => ({
  dueAtMs: next.dueAtMs,
  turn: next.turn,
  payload: asStored(next.payload) ?? timer.payload,
});

/** As a column of type jsonb gives it back. */
const asStored = <T>(value: T): T | undefined =>
  value === undefined || value === null ? undefined : JSON.parse(JSON.stringify(value));
