import { changedTimer, dueAtOf, movedTo } from '../../model/changed-timer.ts';
import type { Timer } from '../../model/timer.ts';
import type {
  ChangeOutcome,
  OwnersChange,
  ScheduleOutcome,
  ScheduleRequest,
  TimerChange,
  TimerTarget,
  TimerUpdate,
} from '../../model/timer-store.ts';

/** The row as it will be after the commit, and the payload if a new one was given. */
interface Coming {
  readonly timer: Timer;
  readonly payload: unknown;
}

/**
 * The timers that a handler fires, and which of them come again. Nothing is written here: one save at the end does
 * it, so coming again costs no statement.
 */
export class OwnTurns {
  readonly #due: ReadonlyMap<string, Timer>;
  readonly #ids: ReadonlyMap<string, string>;
  readonly #nowMs: number;
  readonly #coming = new Map<string, Coming>();
  /** Of those that were completed by the handler's own word. */
  readonly #results = new Map<string, unknown>();

  constructor(due: readonly Timer[], nowMs: number) {
    this.#due = new Map(due.map((timer) => [timer.id, timer]));
    this.#ids = new Map(due.map((timer) => [keyOf(timer), timer.id]));
    this.#nowMs = nowMs;
  }

  get ids(): readonly string[] {
    return [...this.#due.keys()];
  }

  /** Those that come again, as their rows will be. */
  get again(): readonly Timer[] {
    return [...this.#coming.values()].map(({ timer }) => timer);
  }

  /** The timer that is meant, if it is one of those that fire. */
  of(target: TimerTarget): Timer | undefined {
    const id = 'timerId' in target ? target.timerId : this.#ids.get(keyOf(target));
    return id === undefined ? undefined : this.#due.get(id);
  }

  schedule(timer: Timer, { owner, payload, orMove, ...due }: ScheduleRequest): ScheduleOutcome {
    const coming = this.#coming.get(timer.id);
    if (coming !== undefined && (!orMove || owner !== timer.owner))
      return { outcome: 'duplicate', timer: coming.timer };
    if (owner !== timer.owner) throw new RangeError('a timer that comes again keeps its owner');
    const dueAtMs = dueAtOf(due, this.#nowMs);
    if (coming !== undefined) {
      const moved: Timer = {
        ...coming.timer,
        ...movedTo(coming.timer, dueAtMs),
        payload: payload ?? coming.timer.payload,
      };
      return { outcome: 'moved', timer: this.#comes(moved, payload ?? coming.payload) };
    }
    const next: Timer = {
      ...timer,
      dueAtMs,
      fireAtMs: dueAtMs,
      isPaused: false,
      turn: timer.turn + 1,
      revision: timer.revision + 1,
      attempt: 0,
      claims: 0,
      payload: payload ?? timer.payload,
      lastError: undefined,
      result: undefined,
      updatedAtMs: this.#nowMs,
    };
    return { outcome: 'applied', timer: this.#comes(next, payload) };
  }

  /** A timer that fires can be changed only once it comes again; then the change concerns the coming turn. */
  change(timer: Timer, change: TimerChange): ChangeOutcome {
    const coming = this.#coming.get(timer.id);
    if (coming === undefined) return { outcome: 'already-fired' };
    if (change.change === 'cancel') return { outcome: 'applied', timer: this.#completed(timer, undefined) };
    if (change.change === 'complete') return { outcome: 'applied', timer: this.#completed(timer, change.result) };
    const changed = { ...coming.timer, ...changedTimer(coming.timer, change, this.#nowMs) };
    return { outcome: 'applied', timer: this.#comes(changed, coming.payload) };
  }

  /** Changes what comes again of these owners; returns it as it will be. */
  changeByOwner({ owners, kinds, ...change }: OwnersChange): readonly Timer[] {
    return [...this.#due.values()]
      .filter(({ owner, kind }) => owners.includes(owner) && (kinds === undefined || kinds.includes(kind)))
      .flatMap((timer) => {
        const outcome = this.change(timer, { ...change, target: { timerId: timer.id } });
        return outcome.outcome === 'applied' ? outcome.timer : [];
      });
  }

  /** What becomes of the rows. `results` are of those that do not come again. */
  updates(results: ReadonlyMap<string, unknown> | undefined): readonly TimerUpdate[] {
    return [...this.#due.values()].map((timer) => {
      const { id: timerId, revision, fireAtMs, attempt } = timer;
      const coming = this.#coming.get(timerId);
      if (coming === undefined) {
        const result = results?.get(timerId) ?? this.#results.get(timerId);
        return { timerId, revision, fireAtMs, attempt, state: 'completed', result };
      }
      const { dueAtMs } = coming.timer;
      const again = { dueAtMs, payload: coming.payload };
      return { timerId, revision, fireAtMs: coming.timer.fireAtMs, attempt: 0, state: 'scheduled', again };
    });
  }

  #comes(timer: Timer, payload: unknown): Timer {
    this.#coming.set(timer.id, { timer, payload });
    return timer;
  }

  /** It does not come again. */
  #completed(timer: Timer, result: unknown): Timer {
    this.#coming.delete(timer.id);
    this.#results.set(timer.id, result);
    return { ...timer, state: 'completed', result, revision: timer.revision + 1, updatedAtMs: this.#nowMs };
  }
}

const keyOf = ({ kind, subject }: { readonly kind: string; readonly subject: string }): string => `${kind}\0${subject}`;
