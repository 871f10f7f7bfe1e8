import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { changedTimer, dueAtOf, jsonTextOf, movedTo } from '../model/changed-timer.ts';
import type { Timer } from '../model/timer.ts';
import type {
  ChangeOfMany,
  ChangeOutcome,
  OwnersChange,
  ScheduleOutcome,
  ScheduleRequest,
  TimerChange,
  TimerTarget,
} from '../model/timer-changes.ts';
import { TransactionRefused } from '../model/timer-errors.ts';
import type { TimerUpdate } from '../model/timer-store.ts';
import { givesRecurrence, turnAfter, withOneMore } from '../recurrence/recurrence.ts';

/** The row after the commit, and the payload if a new one was given. */
interface Coming {
  readonly timer: Timer;
  readonly payload?: unknown;
  /** Because of its recurrence, not because the handler asked for it. */
  readonly isByItself: boolean;
}

/**
 * The timers that a handler fires, and which of them come again. Changes are only noted here. One save at the end
 * writes them, so coming again costs no statement.
 */
export class OwnTurns {
  readonly #due: ReadonlyMap<string, Timer>;
  readonly #ids: ReadonlyMap<string, string>;
  readonly #nowMs: number;
  #coming = new Map<string, Coming>();
  /** Results of timers that the handler itself completed. */
  readonly #results = new Map<string, unknown>();
  /** The updates were read: what is noted now would be lost. */
  #isOver = false;

  constructor(due: readonly Timer[], nowMs: number) {
    this.#due = new Map(due.map((timer) => [timer.id, timer]));
    this.#ids = new Map(due.map((timer) => [keyOf(timer), timer.id]));
    this.#nowMs = nowMs;
    for (const timer of due) {
      const next = timer.recurrence && turnAfter(timer.recurrence, timer);
      if (next) this.#come(timer, { dueAtMs: next.dueAtMs, isByItself: true });
    }
  }

  get ids(): readonly string[] {
    return [...this.#due.keys()];
  }

  /** Notes all of `work`, or nothing if it throws. */
  whole<T>(work: () => T): T {
    const coming = new Map(this.#coming);
    try {
      return work();
    } catch (error) {
      this.#coming = coming;
      throw error;
    }
  }

  /** The future rows of timers that come again. */
  get again(): readonly Timer[] {
    return [...this.#coming.values()].map(({ timer }) => timer);
  }

  /** Finds the target among the firing timers. */
  of(target: TimerTarget): Timer | undefined {
    const id = 'timerId' in target ? target.timerId : this.#ids.get(keyOf(target));
    return id === undefined ? undefined : this.#due.get(id);
  }

  /** A handler's request overrides the recurrence. */
  schedule(timer: Timer, wanted: ScheduleRequest): ScheduleOutcome {
    this.#refuseIfOver();
    const coming = this.#coming.get(timer.id);
    const isTaken = coming?.isByItself === false;
    const { owner, payload, misfire = timer.misfire } = wanted;
    if (isTaken && (!wanted.orMove || owner !== timer.owner)) return { outcome: 'duplicate', timer: coming.timer };
    if (owner !== timer.owner) throw kept('owner', 'give the owner that it has');
    if (givesRecurrence(wanted) || jsonTextOf(misfire) !== jsonTextOf(timer.misfire)) {
      throw kept('recurrence and its policy', 'leave out every, cron, misfire');
    }
    const dueAtMs = dueAtOf(wanted, this.#nowMs);
    if (!isTaken) {
      const kept = payload === undefined ? coming?.payload : payload;
      const next = this.#come(timer, { dueAtMs, payload: kept, isByItself: false });
      if (!coming?.timer.isPaused) return { outcome: 'applied', timer: next };
      const paused = {
        ...next,
        ...changedTimer(next, { change: 'pause', target: { timerId: timer.id } }, this.#nowMs),
      };
      this.#coming.set(timer.id, { timer: paused, payload: kept, isByItself: false });
      return { outcome: 'applied', timer: paused };
    }
    const given = payload === undefined ? {} : { payload };
    const moved = { ...coming.timer, ...movedTo(coming.timer, dueAtMs, this.#nowMs), ...given };
    this.#coming.set(timer.id, { ...coming, timer: moved, ...given });
    return { outcome: 'moved', timer: moved };
  }

  /** A firing timer can be changed only if it comes again; the change then applies to its next turn. */
  change(timer: Timer, change: TimerChange): ChangeOutcome {
    this.#refuseIfOver();
    const coming = this.#coming.get(timer.id);
    if (coming === undefined) return { outcome: 'already-fired' };
    if (change.change === 'cancel') return { outcome: 'applied', timer: this.#completed(timer, undefined) };
    if (change.change === 'complete') return { outcome: 'applied', timer: this.#completed(timer, change.result) };
    const changed = { ...coming.timer, ...changedTimer(coming.timer, change, this.#nowMs) };
    const given = change.change === 'set-payload' ? { payload: change.payload } : {};
    this.#coming.set(timer.id, { ...coming, timer: changed, ...given });
    return { outcome: 'applied', timer: changed };
  }

  /** Changes the next turns of these owners and kinds; returns the future rows. */
  changeMany({ owners, kinds, ...change }: Partial<OwnersChange> & ChangeOfMany): readonly Timer[] {
    const isIn = (some: readonly string[] | undefined, one: string): boolean => some?.includes(one) ?? true;
    return [...this.#due.values()]
      .filter(({ owner, kind }) => isIn(owners, owner) && isIn(kinds, kind))
      .flatMap((timer) => {
        const outcome = this.change(timer, { ...change, target: { timerId: timer.id } });
        return outcome.outcome === 'applied' ? outcome.timer : [];
      });
  }

  /** Returns the updates of the rows; later changes are refused. `results` belong to timers that do not come again. */
  updates(results: ReadonlyMap<string, unknown> | undefined): readonly TimerUpdate[] {
    this.#isOver = true;
    return [...this.#due.values()].map((timer) => {
      const { id: timerId, revision, fireAtMs, attempt } = timer;
      const coming = this.#coming.get(timerId);
      if (coming === undefined) {
        const result = results?.get(timerId) ?? this.#results.get(timerId);
        return { timerId, revision, fireAtMs, attempt, state: 'completed', result };
      }
      const { dueAtMs, fireAtMs: nextMs, turn, recurrence } = coming.timer;
      const renewed = recurrence === timer.recurrence ? {} : { recurrence };
      const again = { dueAtMs, turn, payload: coming.payload, ...renewed };
      return { timerId, revision, fireAtMs: nextMs, attempt: 0, state: 'scheduled', again };
    });
  }

  #refuseIfOver(): void {
    if (!this.#isOver) return;
    throw new TransactionRefused('transaction/over', 'the handler has returned: await each call before that');
  }

  #come(timer: Timer, { dueAtMs, ...coming }: Omit<Coming, 'timer'> & { readonly dueAtMs: number }): Timer {
    const next: Timer = {
      ...timer,
      dueAtMs,
      // A late turn of a recurrence is judged as late. A time that the handler gave is not late.
      fireAtMs: coming.isByItself ? dueAtMs : Math.max(dueAtMs, this.#nowMs),
      isPaused: false,
      turn: timer.turn + 1,
      revision: timer.revision + 1,
      attempt: 0,
      claims: 0,
      claimedAtMs: undefined,
      payload: coming.payload === undefined ? timer.payload : coming.payload,
      // A turn that the handler asked for is not one of the turns that the recurrence counts.
      recurrence: (coming.isByItself ? undefined : withOneMore(timer.recurrence)) ?? timer.recurrence,
      lateness: undefined,
      lastError: undefined,
      result: undefined,
      updatedAtMs: this.#nowMs,
    };
    this.#coming.set(timer.id, { ...coming, timer: next });
    return next;
  }

  /** Completes a timer: it does not come again. */
  #completed(timer: Timer, result: unknown): Timer {
    this.#coming.delete(timer.id);
    this.#results.set(timer.id, result);
    return { ...timer, state: 'completed', result, revision: timer.revision + 1, updatedAtMs: this.#nowMs };
  }
}

const kept = (what: string, remedy: string): OptionsRefused =>
  new OptionsRefused('schedule', [
    { path: 'timers', code: 'options/invalid', what: `come again: a timer that comes again keeps its ${what}`, remedy },
  ]);

const keyOf = ({ kind, subject }: { readonly kind: string; readonly subject: string }): string => `${kind}\0${subject}`;
