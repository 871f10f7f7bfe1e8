import { CallRunner } from './call-runner.ts';
import { DerivedRunner } from './derived-runner.ts';
import { entryOf, type IndexEntry } from './due-index.ts';
import type { PutBackReason } from './engine-event.ts';
import { FireRunner } from './fire-runner.ts';
import type { FiringTools } from './firing-tools.ts';
import { seldom } from './seldom.ts';
import type { Timer } from './timer.ts';
import type { TimerKind } from './timer-kind.ts';

const UNKNOWN_KIND_MS = 1000;
const UNKNOWN =
  'no handler for this kind of timer here: they wait until a process that has one gets them; register it, or stop that process';
const PAUSED_MS = 5000;
/** Longer than the pause after which an unknown kind comes again. */
const STRANGER_MS = 3000;

/** Fires timers by id, as far as their rows say so: read, sort out, run by kind, put back what is to come again. */
export class TimerFirer {
  readonly #tools: FiringTools;
  readonly #fire: FireRunner;
  readonly #call: CallRunner;
  readonly #derived: DerivedRunner;
  readonly #isTimeToAlarm: (kind: string) => boolean;
  #metUnknownAtMs = Number.NEGATIVE_INFINITY;
  /** The same timer may be delivered and swept at once. */
  readonly #inFlight = new Set<string>();

  constructor(tools: FiringTools) {
    this.#tools = tools;
    this.#fire = new FireRunner(tools);
    this.#call = new CallRunner(tools);
    this.#derived = new DerivedRunner(tools);
    this.#isTimeToAlarm = seldom(tools.clock);
  }

  /** Whether timers of a kind without a handler here are about: other nodes should get them. */
  get isStranger(): boolean {
    return this.#tools.clock.monotonicMs() - this.#metUnknownAtMs < STRANGER_MS;
  }

  /**
   * When it returns, each timer has fired, or will again: its row is committed and its entry is back in the index.
   * Throws when the rows could not be read.
   */
  async fire(timerIds: readonly string[]): Promise<void> {
    const ids = [...new Set(timerIds)].filter((id) => !this.#inFlight.has(id));
    if (ids.length === 0) return;
    // Not in flight any more when the index hears of them: one that is due at once may be delivered before `apply` ends.
    const putBack = await this.#fireInFlight(ids);
    await this.#tools.indexWriter.apply({ put: putBack, remove: [] });
  }

  async #fireInFlight(ids: readonly string[]): Promise<readonly IndexEntry[]> {
    for (const id of ids) this.#inFlight.add(id);
    try {
      return await this.#fireDue(ids);
    } finally {
      for (const id of ids) this.#inFlight.delete(id);
    }
  }

  async #fireDue(ids: readonly string[]): Promise<readonly IndexEntry[]> {
    const { timers, nowMs } = await this.#tools.store.read(ids);
    const scheduled = timers.filter(({ state }) => state === 'scheduled');
    const early = scheduled.filter(({ fireAtMs }) => fireAtMs > nowMs);
    if (early.length > 0) this.#tools.observe({ type: 'put-back', reason: 'not-due', count: early.length });
    const due = scheduled.filter(({ fireAtMs }) => fireAtMs <= nowMs);
    const byKind = [...Map.groupBy(due, ({ kind }) => kind)];
    const later = await Promise.all(byKind.map(([kind, ofKind]) => this.#fireKind(kind, ofKind, nowMs)));
    return [...early.map(entryOf), ...later.flat()];
  }

  async #fireKind(name: string, timers: readonly Timer[], nowMs: number): Promise<readonly IndexEntry[]> {
    const { kinds, log, clock } = this.#tools;
    const kind = kinds.get(name);
    if (kind === undefined) {
      this.#metUnknownAtMs = clock.monotonicMs();
      if (this.#isTimeToAlarm(name))
        log.warn({ code: 'timer/unknown-kind', kind: name, count: timers.length }, UNKNOWN);
      return this.#postpone(timers, nowMs + UNKNOWN_KIND_MS, 'unknown-kind');
    }
    if (kinds.isPaused(name)) return this.#postpone(timers, nowMs + PAUSED_MS, 'paused');
    return this.#run(kind, timers);
  }

  #run(kind: TimerKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    if ('derived' in kind) return this.#derived.run(kind, timers);
    return 'fire' in kind ? this.#fire.run(kind, timers) : this.#call.run(kind, timers);
  }

  /** In the index alone: the row stays due, so that any node may take it. */
  #postpone(timers: readonly Timer[], fireAtMs: number, reason: PutBackReason): readonly IndexEntry[] {
    this.#tools.observe({ type: 'put-back', reason, count: timers.length });
    return timers.map((timer) => ({ ...entryOf(timer), fireAtMs }));
  }
}
