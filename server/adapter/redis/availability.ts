import type { Clock } from '../../timer/clock.ts';

const PROBE_EVERY_MS = 250;

interface Dependencies {
  readonly clock: Clock;
  /** Rejects while the other side is away, or may not be used. */
  readonly probe: () => Promise<unknown>;
}

/** Whether a server answers. While it does not nobody asks it anything, so this finds out that it is back. */
export class Availability {
  readonly #clock: Clock;
  readonly #ask: Dependencies['probe'];
  #isAvailable = false;
  #cancelProbe: (() => void) | undefined;
  #isStopped = false;

  constructor({ clock, probe }: Dependencies) {
    this.#clock = clock;
    this.#ask = probe;
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  set(isAvailable: boolean): void {
    this.#isAvailable = isAvailable;
    if (!isAvailable) this.#probe();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelProbe?.();
  }

  #probe(): void {
    if (this.#cancelProbe !== undefined || this.#isStopped) return;
    this.#cancelProbe = this.#clock.after(PROBE_EVERY_MS, () => {
      const answered = (isAvailable: boolean): void => {
        this.#cancelProbe = undefined;
        this.set(isAvailable);
      };
      this.#ask().then(
        () => answered(true),
        () => answered(false),
      );
    });
  }
}
