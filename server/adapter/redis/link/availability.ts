import type { Clock } from '../../../runtime/clock.ts';
import { type RedisTrouble, troubleOf } from './redis-trouble.ts';

const LOOK_EVERY_MS = 250;
/** While all seems well: what no failed command would tell, such as a changed setting. */
const LOOK_AGAIN_EVERY_MS = 5_000;

interface Dependencies {
  readonly clock: Clock;
  /** Rejects while the other side is away or must not be used. */
  readonly examine: () => Promise<void>;
  /** Told after each look, and each loss. */
  readonly report?: ((trouble: RedisTrouble | undefined) => void) | undefined;
}

/**
 * Whether a server can be used. One failed command is enough to say no; only a look that finds everything in order
 * says yes again: commands that work while others fail, as when memory is short, would have it waver.
 */
export class Availability {
  readonly #clock: Clock;
  readonly #examine: Dependencies['examine'];
  readonly #report: NonNullable<Dependencies['report']>;
  #isAvailable = false;
  #trouble: RedisTrouble | undefined;
  #isLooking = false;
  #cancelLook: (() => void) | undefined;
  #isStopped = false;

  constructor({ clock, examine, report = () => undefined }: Dependencies) {
    this.#clock = clock;
    this.#examine = examine;
    this.#report = report;
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /** Undefined while all is well. */
  get trouble(): RedisTrouble | undefined {
    return this.#trouble;
  }

  /** A look found that it can be used. */
  found(): void {
    this.#set(true, undefined);
    this.#lookAfter(LOOK_AGAIN_EVERY_MS);
  }

  /** It failed us. */
  lost(error: unknown): void {
    const isNews = this.#isAvailable;
    this.#set(false, troubleOf(error));
    // A link that was lost by a single slow reply is back at once.
    if (isNews || this.#cancelLook === undefined) this.#lookAfter(isNews ? 0 : LOOK_EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelLook?.();
  }

  #set(isAvailable: boolean, trouble: RedisTrouble | undefined): void {
    this.#isAvailable = isAvailable;
    this.#trouble = trouble;
    if (!this.#isStopped) this.#report(trouble);
  }

  #lookAfter(delayMs: number): void {
    this.#cancelLook?.();
    if (this.#isStopped || this.#isLooking) return;
    this.#cancelLook = this.#clock.after(delayMs, () => {
      this.#cancelLook = undefined;
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const found = await this.#examine().then(
      () => () => this.found(),
      (error: unknown) => () => this.lost(error),
    );
    this.#isLooking = false;
    found();
  }
}
