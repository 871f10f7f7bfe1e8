import { ok, refused } from '../../../../shared/result.ts';
import { entryOf, type IndexEntry } from '../../model/index-entry.ts';
import { HandlerStuck, isLocked } from '../../model/locked.ts';
import type { Timer } from '../../model/timer.ts';
import type { FireKind } from '../../model/timer-kind.ts';
import type { TimersAt } from '../../model/timer-store.ts';
import { failOwn, retrySoon } from '../attempt/failed-attempt.ts';
import type { FiringTools } from '../attempt/firing-tools.ts';
import type { Ran } from '../attempt/lane-work.ts';
import { retryAfterLock } from '../attempt/retry-after-lock.ts';
import { Handling } from './handling.ts';

const MOST_SUSPECTS = 10_000;
/** A timer that met others' transactions so often in a row has failed. Counted in this process: another one begins anew. */
const MOST_CONTENTIONS = 20;
/** Halves of a batch that took so long would take as long again, one after the other. */
const SLOW_MS = 2000;

/** Fires own kinds in Postgres: lock, check, fire, save, commit. A batch that fails is cut in halves until the poison is alone. */
export class FireRunner {
  readonly #tools: FiringTools;
  /** Of batches that met a lock or failed with the world, as with a time-out: one may be the reason, so each goes alone. */
  readonly #suspects = new Set<string>();
  /** How often in a row a timer that was alone met others' transactions. */
  readonly #contentions = new Map<string, number>();

  constructor(tools: FiringTools) {
    this.#tools = tools;
  }

  /** Whether it has to go alone. */
  isSuspect(timerId: string): boolean {
    return this.#suspects.has(timerId);
  }

  async run(kind: FireKind, timers: readonly Timer[]): Promise<Ran> {
    for (const { id } of timers) this.#suspects.delete(id);
    const entries = await this.#runBatch(kind, timers);
    const revisions = new Map(timers.map(({ id, revision }) => [id, revision]));
    const unchanged = entries.filter(({ timerId, revision }) => revisions.get(timerId) === revision);
    return { entries, finished: timers.length - unchanged.length };
  }

  /** Returns the entries of those that come again. */
  async #runBatch(kind: FireKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    if (timers.length === 0) return [];
    const handling = new Handling(this.#tools, kind);
    const beganAtMs = this.#tools.clock.monotonicMs();
    const fired = await this.#tools.store.fire(timers, (tx, locked) => handling.work(tx, locked)).then(ok, refused);
    const isSlow = this.#tools.clock.monotonicMs() - beganAtMs >= SLOW_MS;
    if (!fired.ok) return this.#failed(kind, timers, { ...fired, isSlow });
    if (this.#contentions.size > 0) for (const { id } of timers) this.#contentions.delete(id);
    this.#observeFired(kind, fired.value);
    return [...(await handling.committed()), ...this.#comeAgain(timers, fired.value)];
  }

  async #failed(
    kind: FireKind,
    timers: readonly Timer[],
    { error, isSlow }: { readonly error: unknown; readonly isSlow: boolean },
  ): Promise<readonly IndexEntry[]> {
    if (isLocked(error)) return this.#awaitLock(timers);
    const [first, ...others] = timers;
    if (first === undefined) return [];
    const isAlone = others.length === 0;
    if (this.#isUncounted(first, isAlone, error) || (isSlow && !isAlone)) return this.#suspect(timers, error);
    if (isAlone) return failOwn(this.#tools, first, error, kind.retryDelaysMs);
    const middle = Math.ceil(timers.length / 2);
    const earlier = await this.#runBatch(kind, timers.slice(0, middle));
    return [...earlier, ...(await this.#runBatch(kind, timers.slice(middle)))];
  }

  /** The world's fault, or others' transactions', which have been in the way for a while only. */
  #isUncounted({ id }: Timer, isAlone: boolean, error: unknown): boolean {
    const { store } = this.#tools;
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

  #observeFired({ kind }: FireKind, { timers, nowMs }: TimersAt): void {
    const fired = timers.filter(({ fireAtMs }) => fireAtMs <= nowMs);
    if (fired.length > 0) this.#tools.observe({ type: 'fired', kind, timers: fired, nowMs });
  }

  /** Not due by the time under the lock, or locked by another transaction, which may roll back, so look again soon. */
  #comeAgain(timers: readonly Timer[], { timers: locked, nowMs }: TimersAt): readonly IndexEntry[] {
    const early = locked.filter(({ fireAtMs }) => fireAtMs > nowMs);
    const obtained = new Set(locked.map(({ id }) => id));
    const others = timers.filter(({ id }) => !obtained.has(id));
    if (others.length > 0) this.#tools.observe({ type: 'put-back', reason: 'locked', count: others.length });
    return [...early.map(entryOf), ...others.map((timer) => retryAfterLock(timer, nowMs))];
  }

  #suspect(timers: readonly Timer[], error: unknown): readonly IndexEntry[] {
    if (timers.length > 1) this.#goAlone(timers);
    return retrySoon(this.#tools, timers, error);
  }

  /** The handler wanted what another transaction has. Also a timer that was alone stays so, or it would hold up others. */
  #awaitLock(timers: readonly Timer[]): readonly IndexEntry[] {
    this.#goAlone(timers);
    this.#tools.observe({ type: 'put-back', reason: 'locked', count: timers.length });
    const nowMs = this.#tools.storeClock.nowMs();
    return timers.map((timer) => retryAfterLock(timer, nowMs));
  }

  #goAlone(timers: readonly Timer[]): void {
    if (this.#suspects.size < MOST_SUSPECTS) for (const { id } of timers) this.#suspects.add(id);
  }
}
