import type { Clock } from '../../runtime/clock.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import type { Exclusive } from '../../runtime/exclusive.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Consumer } from './consumer.ts';
import { ConsumerReader } from './consumer-reader.ts';
import type { ConsumerStore } from './consumer-store.ts';

/** Commits wake the readers at most ten times a second: one look reads what they all wrote. */
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
  readonly #dependencies: Dependencies;
  readonly #running: readonly Running[];
  #cancelWake: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    const { consumers, exclusiveOf, clock, log } = dependencies;
    this.#dependencies = dependencies;
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

  /** Gives new ones their place in the log: events are kept for them from now on, whichever process reads them. */
  async register(): Promise<void> {
    const { consumers, store } = this.#dependencies;
    await store.register(consumers.map(({ name, from = 'now' }) => ({ name, from })));
  }

  start(): void {
    for (const { loop } of this.#running) loop.start();
  }

  /** There may be something new. */
  wake(): void {
    if (this.#running.length === 0) return;
    this.#cancelWake ??= this.#dependencies.clock.after(WAKE_AFTER_MS, () => {
      this.#cancelWake = undefined;
      for (const { loop } of this.#running) loop.wake();
    });
  }

  /** Ends what is being handled, and lets go of the right to read. */
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
