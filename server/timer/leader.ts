import type { Exclusive } from '../runtime/exclusive.ts';
import type { Loop } from '../runtime/loop.ts';

const ASK_EVERY_MS = 1000;

type Tick = (signal: AbortSignal) => Promise<number>;

interface Dependencies {
  readonly exclusive: Exclusive;
  readonly makeLoop: (name: string, tick: Tick) => Loop;
}

/**
 * What one process of a database does for all of them: its chores. Each is a loop of its own, so that none waits for another.
 * A process that does not lead asks for the lock each second. That two lead for a moment does no harm: chores are harmless
 * twice.
 */
export class Leader {
  readonly #dependencies: Dependencies;
  readonly #chores: Loop[] = [];
  #asking: Promise<boolean> | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether this process leads; asks for the lock when not, once for all that ask at a time. */
  leads(): Promise<boolean> {
    this.#asking ??= this.#dependencies.exclusive.tryHold().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** A chore, before `start`: one turn, which returns how long to sleep. */
  add(name: string, tick: Tick): void {
    const turn: Tick = async (signal) => ((await this.leads()) ? tick(signal) : ASK_EVERY_MS);
    this.#chores.push(this.#dependencies.makeLoop(name, turn));
  }

  start(): void {
    for (const chore of this.#chores) chore.start();
  }

  /** Resolves when the turns that run are done. */
  async stop(): Promise<void> {
    await Promise.all(this.#chores.map((chore) => chore.stop()));
  }

  release(): Promise<void> {
    return this.#dependencies.exclusive.release();
  }
}
