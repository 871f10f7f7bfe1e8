import { ok, refused } from '../../../shared/result.ts';
import { entryOf, type IndexChanges, type IndexEntry } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import { HandlerStuck, isLocked } from '../model/timer-errors.ts';
import type { FireKind } from '../model/timer-kind.ts';
import type { TimersAt } from '../model/timer-store.ts';
import { failOwn } from './failure.ts';
import { FireTry } from './fire-try.ts';
import type { FiringTools } from './firing-tools.ts';
import type { LaneResult } from './lane.ts';
import { judgeLate } from './late-timers.ts';
import { deferAfterFault, requeue, requeueAfterFault, requeueLocked } from './requeue.ts';

const MOST_SUSPECTS = 10_000;
/** A timer that met locks of others so often in a row has failed. Each process counts for itself. */
const MOST_CONTENTIONS = 20;
/** After this time the rest of a failing batch is requeued, not halved: halves run one after the other on one connection. */
const SLOW_MS = 2000;

interface Dependencies {
  readonly tools: FiringTools;
  readonly kind: FireKind;
  /** Aborts running calls of timers that a handler has changed. */
  readonly abortStale: (entries: IndexChanges['remove']) => void;
}

/** Fires a kind in Postgres: judge late timers, lock, check, fire, save, commit. Halves a failed batch until the poison timer is alone. */
export class FireRunner {
  readonly #on: Dependencies;
  /** Timers of batches that met a lock or a time-out: any of them may be the reason, so each one runs alone. */
  readonly #suspects = new Set<string>();
  /** How often in a row a timer that ran alone met locks of others. */
  readonly #contentions = new Map<string, number>();

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Whether the timer must run alone. */
  isSuspect(timerId: string): boolean {
    return this.#suspects.has(timerId);
  }

  async run(timers: readonly Timer[]): Promise<LaneResult> {
    const { tools, kind } = this.#on;
    // The timers may have waited for a connection since the lane asked.
    if (tools.kinds.isPaused(kind.kind)) return { entries: requeue(tools, timers, { reason: 'paused' }), finished: 0 };
    for (const { id } of timers) this.#suspects.delete(id);
    const { firing, later } = await judgeLate(tools, kind, timers);
    const entries = [...later, ...(await this.#runBatch(firing, tools.clock.monotonicMs()))];
    const revisions = new Map(timers.map(({ id, revision }) => [id, revision]));
    const unchanged = entries.filter(({ timerId, revision }) => revisions.get(timerId) === revision);
    return { entries, finished: timers.length - unchanged.length };
  }

  /** Returns the entries of timers that come again. `beganAtMs`: when the whole batch began, of which these are a part. */
  async #runBatch(timers: readonly Timer[], beganAtMs: number): Promise<readonly IndexEntry[]> {
    if (timers.length === 0) return [];
    const { tools, kind } = this.#on;
    if (tools.kinds.isPaused(kind.kind)) return requeue(tools, timers, { reason: 'paused' });
    const attempt = new FireTry(tools, kind);
    const fired = await tools.store.fire(timers, attempt.fire).then(ok, refused);
    if (!fired.ok) return this.#failed(timers, { ...fired, beganAtMs });
    if (this.#contentions.size > 0) for (const { id } of timers) this.#contentions.delete(id);
    this.#observeFired(fired.value);
    this.#on.abortStale(attempt.changed);
    return [...(await attempt.committed()), ...this.#notFired(timers, fired.value)];
  }

  async #failed(
    timers: readonly Timer[],
    { error, beganAtMs }: { readonly error: unknown; readonly beganAtMs: number },
  ): Promise<readonly IndexEntry[]> {
    const { tools, kind } = this.#on;
    const [first, ...others] = timers;
    if (first === undefined) return [];
    if (isLocked(error)) return this.#locked([first, ...others], error);
    const isAlone = others.length === 0;
    const isSlow = (): boolean => tools.clock.monotonicMs() - beganAtMs >= SLOW_MS;
    if (this.#isUncounted(first, isAlone, error) || (isSlow() && !isAlone)) {
      // Also a timer that was alone: its fault may last, as that of a home which this process cannot read.
      this.#suspect(timers);
      if (isAlone) return deferAfterFault(tools, first, error);
      return requeueAfterFault(tools, timers, error);
    }
    if (isAlone) return failOwn(tools, first, error, kind.retryDelaysMs);
    const middle = Math.ceil(timers.length / 2);
    const earlier = await this.#runBatch(timers.slice(0, middle), beganAtMs);
    const rest = timers.slice(middle);
    if (!isSlow()) return [...earlier, ...(await this.#runBatch(rest, beganAtMs))];
    this.#suspect(rest);
    return [...earlier, ...requeueAfterFault(tools, rest, error)];
  }

  /** The handler met a lock. Even a timer that was alone stays a suspect, or it would delay others again. */
  async #locked([first, ...others]: readonly [Timer, ...Timer[]], error: unknown): Promise<readonly IndexEntry[]> {
    const { tools } = this.#on;
    this.#suspect([first, ...others]);
    if (others.length === 0) return requeueLocked(tools, first, error);
    return requeue(tools, [first, ...others], { reason: 'locked' });
  }

  /** Whether a failure counts as no attempt: the world's fault, or locks of others that have lasted only a while. */
  #isUncounted({ id }: Timer, isAlone: boolean, error: unknown): boolean {
    const { store } = this.#on.tools;
    if (!store.isContention(error)) return !(error instanceof HandlerStuck) && store.isWorldFault(error);
    if (!isAlone) return true;
    const times = (this.#contentions.get(id) ?? 0) + 1;
    this.#contentions.delete(id);
    if (times > MOST_CONTENTIONS) return false;
    const [oldest] = this.#contentions.keys();
    if (oldest !== undefined && this.#contentions.size >= MOST_SUSPECTS) this.#contentions.delete(oldest);
    this.#contentions.set(id, times);
    return true;
  }

  #observeFired({ timers, nowMs }: TimersAt): void {
    const { tools, kind } = this.#on;
    const fired = timers.filter(({ fireAtMs }) => fireAtMs <= nowMs);
    if (fired.length > 0) tools.observe({ type: 'fired', kind: kind.kind, timers: fired, nowMs });
  }

  /** Timers that were not due by the time under the lock, or locked by another transaction, which may roll back. */
  #notFired(timers: readonly Timer[], { timers: locked, nowMs }: TimersAt): readonly IndexEntry[] {
    const early = locked.filter(({ fireAtMs }) => fireAtMs > nowMs);
    const obtained = new Set(locked.map(({ id }) => id));
    const others = timers.filter(({ id }) => !obtained.has(id));
    return [...early.map(entryOf), ...requeue(this.#on.tools, others, { reason: 'locked', nowMs })];
  }

  #suspect(timers: readonly Timer[]): void {
    for (const { id } of timers) {
      this.#suspects.delete(id);
      this.#suspects.add(id);
    }
    // Another process may have fired it, or it was moved or cancelled: the oldest ones may never run here again.
    for (const id of this.#suspects) {
      if (this.#suspects.size <= MOST_SUSPECTS) break;
      this.#suspects.delete(id);
    }
  }
}
