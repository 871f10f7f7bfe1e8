import { readOptions } from '../../shared/options/read-options.ts';
import { fields, instantMs, wholeMs } from '../../shared/options/shapes.ts';
import type { Clock } from './clock.ts';

/** A clock that stands still until a test moves it. Waits end in the order of their time. */
export class ManualClock implements Clock {
  #nowMs: number;
  #waits: { atMs: number; callback: () => void }[] = [];

  constructor(nowMs: number) {
    readOptions(clockCalls.instant, { nowMs }, 'ManualClock');
    this.#nowMs = nowMs;
  }

  nowMs = (): number => this.#nowMs;

  monotonicMs = (): number => this.#nowMs;

  /** As if the process always had the processor. */
  cpuMs = (): number => this.#nowMs;

  after = (delayMs: number, callback: () => void): (() => void) => {
    const wait = { atMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#waits.push(wait);
    return () => {
      this.#waits = this.#waits.filter((other) => other !== wait);
    };
  };

  advance(byMs: number): void {
    readOptions(clockCalls.advance, { byMs }, 'advance');
    this.advanceTo(this.#nowMs + byMs);
  }

  advanceTo(nowMs: number): void {
    readOptions(clockCalls.instant, { nowMs }, 'advanceTo');
    for (;;) {
      const [next] = this.#waits.filter(({ atMs }) => atMs <= nowMs).sort((left, right) => left.atMs - right.atMs);
      if (next === undefined) break;
      this.#waits = this.#waits.filter((other) => other !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
    }
    this.#nowMs = Math.max(this.#nowMs, nowMs);
  }
}

export const clockCalls = {
  instant: fields({ nowMs: instantMs() }),
  advance: fields({ byMs: wholeMs({ min: 0, max: Number.MAX_SAFE_INTEGER }) }),
};
