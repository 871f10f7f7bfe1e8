import { callGame } from '../../../shared/game-code.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import type { Exclusive } from '../../runtime/exclusive.ts';
import { guardedSignal, withOwnSignal } from '../../runtime/game-signal.ts';
import { Loop } from '../../runtime/loop.ts';
import { HostFault } from '../model/faults.ts';
import type { Consumer, ConsumerStore } from './consumer.ts';

/** Polls this often without a wake-up: for commits of other processes, and for those that a longer transaction delayed. */
const EVERY_MS = 1000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
/** A `handle` that takes longer is named in the log. */
const SLOW_MS = 30_000;

interface Reading {
  readonly consumer: Consumer;
  readonly store: ConsumerStore;
  /** The lock of the process that reads for this consumer. */
  readonly exclusive: Exclusive;
  readonly clock: Clock;
  readonly log: EngineLog;
  /** Events in one call of `handle`. */
  readonly batch: number;
}

/** Reads the log for one consumer: read a page, handle it, move on. */
export class ConsumerReader {
  readonly #on: Reading;
  #failures = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(reading: Reading) {
    this.#on = reading;
  }

  /** Handles one page. Returns how long to sleep; throws when the log cannot be read. */
  tick = async (signal: AbortSignal): Promise<number> => {
    const { consumer, store, exclusive, clock, batch } = this.#on;
    const pauseMs = this.#pausedUntilMs - clock.monotonicMs();
    if (pauseMs > 0) return pauseMs;
    if (!(await exclusive.tryLock())) return EVERY_MS;
    const page = await store.read(consumer.name, batch);
    if (!page) return EVERY_MS;
    // Read now: the game may empty its list.
    const count = page.events.length;
    const cancel = clock.after(SLOW_MS, () => this.#warnSlow(count));
    try {
      await withOwnSignal(signal, (own) =>
        callGame(`consumer ${consumer.name}`, () =>
          consumer.handle(page.events, guardedSignal(own, this.#onListenerFault)),
        ),
      );
    } catch (fault) {
      return this.#pause(fault);
    } finally {
      cancel();
    }
    this.#failures = 0;
    // If another process has moved the place, or the last player was erased, events come twice: "at least once".
    await store.move(consumer.name, page.from, page.to);
    return count < batch ? EVERY_MS : 0;
  };

  /** For tests: reads until all committed events are handled, or `handle` throws. */
  async runDue(): Promise<void> {
    const { consumer, store } = this.#on;
    const { signal } = new AbortController();
    while ((await this.tick(signal)) === 0 || (this.#failures === 0 && (await store.isBehind(consumer.name))));
  }

  #onListenerFault = (err: unknown): void => {
    const { consumer, log } = this.#on;
    log.warn({ consumer: consumer.name, err }, "a listener of a consumer's signal failed");
  };

  #warnSlow(count: number): void {
    const { consumer, log } = this.#on;
    log.warn({ consumer: consumer.name, count }, 'a consumer has not returned for 30 s: it reads on when it does');
  }

  #pause(thrown: unknown): number {
    const { consumer, clock, log } = this.#on;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    // A commit wakes the loop, but does not shorten the pause.
    this.#pausedUntilMs = clock.monotonicMs() + pauseMs;
    const fault = new HostFault('consumer/handle', thrown);
    const { code } = fault;
    log.warn({ consumer: consumer.name, code, err: fault, failures: this.#failures, pauseMs }, 'a consumer failed');
    return pauseMs;
  }
}

/** Commits wake the readers at most ten times a second: one read covers many commits. */
const WAKE_AFTER_MS = 100;

interface Dependencies {
  readonly consumers: readonly Consumer[];
  readonly store: ConsumerStore;
  readonly exclusiveOf: (name: string) => Exclusive;
  readonly clock: Clock;
  readonly log: EngineLog;
  readonly batch: number;
}

interface Running {
  readonly reader: ConsumerReader;
  readonly loop: Loop;
  readonly exclusive: Exclusive;
}

/** The consumers of this process. */
export class Consumers {
  readonly #on: Dependencies;
  readonly #running: readonly Running[];
  #cancelWake: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    const { consumers, exclusiveOf, clock, log } = dependencies;
    this.#on = dependencies;
    this.#running = consumers.map((consumer) => {
      const exclusive = exclusiveOf(consumer.name);
      const reader = new ConsumerReader({ ...dependencies, consumer, exclusive });
      return {
        reader,
        exclusive,
        loop: new Loop({ name: `consumer ${consumer.name}`, clock, log, tick: reader.tick }),
      };
    });
  }

  /** Gives new consumers their place in the log: from now on events are retained for them, whichever process reads. */
  async register(): Promise<void> {
    const { consumers, store } = this.#on;
    await store.register(consumers.map(({ name, from = 'now' }) => ({ name, from })));
  }

  start(): void {
    for (const { loop } of this.#running) loop.start();
  }

  /** Wakes the readers: there may be new events. */
  wake(): void {
    if (this.#running.length === 0) return;
    this.#cancelWake ??= this.#on.clock.after(WAKE_AFTER_MS, () => {
      this.#cancelWake = undefined;
      for (const { loop } of this.#running) loop.wake();
    });
  }

  /** Waits for running `handle` calls, and releases the locks. */
  async stop(): Promise<void> {
    this.#cancelWake?.();
    await Promise.all(this.#running.map(({ loop }) => loop.stop()));
    await Promise.all(this.#running.map(({ exclusive }) => exclusive.release()));
  }

  /** For tests, instead of `start`. */
  async runDue(): Promise<void> {
    for (const { reader } of this.#running) await reader.runDue();
  }
}
