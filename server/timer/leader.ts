import type { Exclusive } from '../runtime/exclusive.ts';
import type { Loop } from '../runtime/loop.ts';

const ASK_EVERY_MS = 1000;

type Tick = (signal: AbortSignal) => Promise<number>;

interface Dependencies {
  readonly exclusive: Exclusive;
  readonly makeLoop: (name: string, tick: Tick) => Loop;
}

/**
 * The chores that one process of a database does for all. Each chore has its own loop, so that none waits for another.
 * A process that does not lead asks for the lock every second. Two leaders for a moment do no harm, because every chore
 * may run twice.
 */
export class Leader {
  readonly #on: Dependencies;
  readonly #chores: Loop[] = [];
  #asking: Promise<boolean> | undefined;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Whether this process leads. Asks for the lock if not; concurrent callers share one request. */
  leads(): Promise<boolean> {
    this.#asking ??= this.#on.exclusive.tryLock().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Adds a chore, before `start`. A turn returns how long to sleep. `beside`: the turn while another process may lead. */
  add(name: string, tick: Tick, beside: Tick = async () => ASK_EVERY_MS): void {
    const turn: Tick = async (signal) => {
      if (await this.leads()) return tick(signal);
      const { mayRun = () => true } = this.#on.exclusive;
      return mayRun() ? beside(signal) : ASK_EVERY_MS;
    };
    this.#chores.push(this.#on.makeLoop(name, turn));
  }

  start(): void {
    for (const chore of this.#chores) chore.start();
  }

  /** Resolves when the running turns have ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#chores.map((chore) => chore.stop()));
  }

  release(): Promise<void> {
    return this.#on.exclusive.release();
  }
}
