import type { Clock } from '../../../runtime/clock.ts';
import { type RedisTrouble, troubleOf } from './redis-trouble.ts';

const CHECK_EVERY_MS = 250;
/** While all is well: finds changes that make no command fail, such as a changed setting. */
const RECHECK_EVERY_MS = 5_000;

interface Checks {
  readonly clock: Clock;
  /** Rejects while the server is away or must not be used. */
  readonly examine: () => Promise<void>;
  /** Called after each check, and each loss. */
  readonly report?: ((trouble: RedisTrouble | undefined) => void) | undefined;
}

/**
 * Whether a server can be used. One failed command makes it unusable. Only a complete check makes it usable again: when
 * memory is short, some commands work and others fail, and the state would alternate.
 */
export class Availability {
  readonly #on: Checks;
  #isAvailable = false;
  #trouble: RedisTrouble | undefined;
  #isChecking = false;
  #cancelCheck: (() => void) | undefined;
  #isStopped = false;

  constructor(checks: Checks) {
    this.#on = checks;
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /** Undefined if all is well. */
  get trouble(): RedisTrouble | undefined {
    return this.#trouble;
  }

  /** A check succeeded. */
  found(): void {
    this.#set(true, undefined);
    this.#checkAfter(RECHECK_EVERY_MS);
  }

  /** A command or a check failed. */
  lost(error: unknown): void {
    const isNews = this.#isAvailable;
    this.#set(false, troubleOf(error));
    // After a single slow reply the link is usable again at once.
    if (isNews || this.#cancelCheck === undefined) this.#checkAfter(isNews ? 0 : CHECK_EVERY_MS);
  }

  /** After a start that failed, another one may follow. */
  start(): void {
    this.#isStopped = false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCheck?.();
  }

  #set(isAvailable: boolean, trouble: RedisTrouble | undefined): void {
    this.#isAvailable = isAvailable;
    this.#trouble = trouble;
    if (!this.#isStopped) this.#on.report?.(trouble);
  }

  #checkAfter(delayMs: number): void {
    this.#cancelCheck?.();
    if (this.#isStopped || this.#isChecking) return;
    this.#cancelCheck = this.#on.clock.after(delayMs, () => {
      this.#cancelCheck = undefined;
      void this.#check();
    });
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    const conclude = await this.#on.examine().then(
      () => () => this.found(),
      (error: unknown) => () => this.lost(error),
    );
    this.#isChecking = false;
    conclude();
  }
}
