import type { Clock } from './clock.ts';
import type { EngineLog } from './engine-log.ts';
import { SignalBox } from './signal-box.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

interface Dependencies {
  readonly name: string;
  readonly clock: Clock;
  readonly log: EngineLog;
  /** Does one turn and returns how long to sleep. `signal` aborts when the loop stops. */
  readonly tick: (signal: AbortSignal) => Promise<number>;
  /** Whether another part logs this failure, once for all loops. */
  readonly isQuiet?: (error: unknown) => boolean;
}

/** Runs turns until stopped. A failed turn is logged and repeated at most a second later. */
export class Loop {
  readonly #on: Dependencies;
  readonly #alarm = new SignalBox();
  readonly #stopping = new AbortController();
  #isWoken = false;
  #failures = 0;
  #isLogged = false;
  #running: Promise<void> | undefined;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the sleep, or skips the next one. */
  wake(): void {
    this.#isWoken = true;
    this.#alarm.ring();
  }

  /** Resolves when the running turn has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      const sleepMs = await this.#turn(signal);
      if (!this.#isWoken && sleepMs > 0) await this.#alarm.wait(sleepMs, this.#on.clock.after, signal);
    }
  }

  async #turn(signal: AbortSignal): Promise<number> {
    const { name, log, tick, isQuiet } = this.#on;
    try {
      const sleepMs = await tick(signal);
      if (this.#isLogged) log.info({ loop: name, failures: this.#failures }, 'loop works again');
      this.#isLogged = false;
      this.#failures = 0;
      return sleepMs;
    } catch (error) {
      this.#failures += 1;
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
      // An outage of a minute makes one line at its begin and one at its end.
      if (this.#isLogged || isQuiet?.(error)) return pauseMs;
      this.#isLogged = true;
      log.error({ loop: name, err: error, pauseMs }, 'loop failed');
      return pauseMs;
    }
  }
}
