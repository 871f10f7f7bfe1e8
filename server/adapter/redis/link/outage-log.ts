import type { Clock } from '../../../runtime/clock.ts';
import type { EngineLog } from '../../../runtime/engine-log.ts';
import type { RedisTrouble } from './redis-trouble.ts';

/** A server that comes and goes faster than this has not come back. */
const STABLE_MS = 2000;

interface Outage {
  readonly sinceMs: number;
  readonly codes: Set<string>;
}

/** One line for each trouble of an outage, and one when it is over, however often it wavers in between. */
export class OutageLog {
  readonly #clock: Clock;
  readonly #log: EngineLog;
  #outage: Outage | undefined;
  #cancelEnd: (() => void) | undefined;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: EngineLog }) {
    this.#clock = clock;
    this.#log = log;
  }

  note = (trouble: RedisTrouble | undefined): void => {
    if (trouble === undefined) this.#endSoon();
    else this.#warnOnce(trouble);
  };

  #warnOnce({ code, message }: RedisTrouble): void {
    this.#cancelEnd?.();
    this.#cancelEnd = undefined;
    this.#outage ??= { sinceMs: this.#clock.monotonicMs(), codes: new Set() };
    if (this.#outage.codes.has(code)) return;
    this.#outage.codes.add(code);
    this.#log.warn({ code }, `${message}. ${MEANWHILE}`);
  }

  #endSoon(): void {
    const outage = this.#outage;
    if (outage === undefined || this.#cancelEnd !== undefined) return;
    const foundAtMs = this.#clock.monotonicMs();
    this.#cancelEnd = this.#clock.after(STABLE_MS, () => {
      this.#cancelEnd = undefined;
      this.#outage = undefined;
      const lastedMs = Math.round(foundAtMs - outage.sinceMs);
      this.#log.info({ code: 'redis/back', lastedMs }, 'Redis is in order again');
    });
  }
}

const MEANWHILE = 'Until then the sweeper fires the timers, up to a few seconds late';
