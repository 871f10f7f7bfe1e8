import { callGame } from '../../../shared/game-code.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import type { Exclusive } from '../../runtime/exclusive.ts';
import { HostFault } from '../model/host-fault.ts';
import type { Consumer } from './consumer.ts';
import type { ConsumerStore } from './consumer-store.ts';

/** Between looks when nothing woke it: commits of other processes, and those that a longer transaction held back. */
const EVERY_MS = 1000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;

interface Dependencies {
  readonly consumer: Consumer;
  readonly store: ConsumerStore;
  /** The right to read for this consumer. */
  readonly exclusive: Exclusive;
  readonly clock: Clock;
  readonly log: EngineLog;
  /** Events in one call of `handle`. */
  readonly batch: number;
}

/** Brings the log to one consumer: read a page, let it be handled, move on. */
export class ConsumerReader {
  readonly #dependencies: Dependencies;
  #failures = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** One page. Returns how long to sleep; throws when the log cannot be read. */
  tick = async (signal: AbortSignal): Promise<number> => {
    const { consumer, store, exclusive, clock, batch } = this.#dependencies;
    const pauseMs = this.#pausedUntilMs - clock.monotonicMs();
    if (pauseMs > 0) return pauseMs;
    if (!(await exclusive.tryHold())) return EVERY_MS;
    const page = await store.read(consumer.name, batch);
    if (!page) return EVERY_MS;
    try {
      await callGame(`consumer ${consumer.name}`, () => consumer.handle(page.events, signal));
    } catch (fault) {
      return this.#pause(fault);
    }
    this.#failures = 0;
    // The process that has moved it meanwhile has handled the same events: that is what "at least once" is for.
    await store.move(consumer.name, page.from, page.to);
    return page.events.length < batch ? EVERY_MS : 0;
  };

  /** For tests: reads until all that is committed is handled, or `handle` throws. */
  async runDue(): Promise<void> {
    const { consumer, store } = this.#dependencies;
    const { signal } = new AbortController();
    while ((await this.tick(signal)) === 0 || (this.#failures === 0 && (await store.isBehind(consumer.name))));
  }

  #pause(thrown: unknown): number {
    const { consumer, clock, log } = this.#dependencies;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    // A commit wakes the loop; the pause holds all the same.
    this.#pausedUntilMs = clock.monotonicMs() + pauseMs;
    const fault = new HostFault('consumer/handle', thrown);
    const { code } = fault;
    log.warn({ consumer: consumer.name, code, err: fault, failures: this.#failures, pauseMs }, 'a consumer failed');
    return pauseMs;
  }
}
