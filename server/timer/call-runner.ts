import { entryOf, type IndexEntry } from './due-index.ts';
import { failOwn, retrySoon } from './failed-attempt.ts';
import { afterCall } from './fire/again.ts';
import type { FiringTools } from './firing-tools.ts';
import type { Timer } from './timer.ts';
import type { CallKind } from './timer-kind.ts';

const AT_ONCE = 16;
const DEFAULT_TIMEOUT_MS = 10_000;

/** Fires own kinds whose effects are elsewhere. The row is completed after the call, so a crash between repeats it. */
export class CallRunner {
  readonly #tools: FiringTools;

  constructor(tools: FiringTools) {
    this.#tools = tools;
  }

  /** Answers the entries of those that come again. */
  async run(kind: CallKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    const entries: IndexEntry[] = [];
    const waiting = timers.values();
    const lane = async (): Promise<void> => {
      for (const timer of waiting) entries.push(...(await this.#callOne(kind, timer)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return entries;
  }

  async #callOne(kind: CallKind, timer: Timer): Promise<readonly IndexEntry[]> {
    let result: unknown;
    try {
      result = await this.#callInTime(kind, timer);
    } catch (error) {
      return failOwn(this.#tools, timer, error, kind.retryDelaysMs);
    }
    return this.#complete(timer, result);
  }

  #callInTime(kind: CallKind, timer: Timer): Promise<unknown> {
    const timeoutMs = kind.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const controller = new AbortController();
    return new Promise((resolve, reject) => {
      const cancel = this.#tools.clock.after(timeoutMs, () => {
        const error = new Error(`no answer within ${timeoutMs} ms`);
        controller.abort(error);
        reject(error);
      });
      const called = (async () => kind.call(timer, controller.signal))();
      called.then(resolve, reject).finally(cancel);
    });
  }

  async #complete(timer: Timer, result: unknown): Promise<readonly IndexEntry[]> {
    const { storeClock, observe } = this.#tools;
    let saved: readonly Timer[];
    try {
      saved = await this.#tools.store.save([afterCall(timer, result)]);
    } catch (error) {
      return retrySoon(this.#tools, [timer], error);
    }
    observe({ type: 'fired', kind: timer.kind, timers: [timer], nowMs: Math.floor(storeClock.nowMs()) });
    return saved.filter(({ state }) => state === 'scheduled').map(entryOf);
  }
}
