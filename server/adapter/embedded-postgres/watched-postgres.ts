import type { Client } from 'pg';
import { systemClock } from '../machine/system-clock.ts';
import { EmbeddedError } from './embedded-error.ts';
import type { Postmaster } from './postmaster.ts';

/** A Postgres on our folder, and the connection with the folder's lock, which ends when Postgres does. */
export interface Owned {
  readonly postmaster: Postmaster;
  readonly owner: Client;
}

interface Dependencies {
  /** Starts it again on this port, so that pools find it. Throws `EmbeddedError` after a few tries. */
  readonly own: (port: number) => Promise<Owned>;
  readonly log: (line: string) => void;
  /** Called when it does not stay up: the server can serve no player any more. */
  readonly onLost: (error: unknown) => void;
}

/** A Postgres that ends so often in so short a time would end again. */
const MOST_ENDS = 3;
const WITHIN_MS = 60_000;

/** Starts an embedded Postgres again when it ends by itself: killed for its memory, or by a crash. */
export class WatchedPostgres {
  readonly #on: Dependencies;
  #reviving: Promise<void> | undefined;
  #isStopping = false;
  #endedAtMs: readonly number[] = [];

  constructor(owned: Owned, dependencies: Dependencies) {
    this.#on = dependencies;
    this.#watch(owned);
  }

  /** From now on the end of Postgres is intended. */
  async unwatch(): Promise<void> {
    this.#isStopping = true;
    await this.#reviving;
  }

  #watch({ owner, postmaster }: Owned): void {
    owner.once('end', () => {
      if (!this.#isStopping) this.#reviving = this.#revive(postmaster.port).catch(this.#on.onLost);
    });
  }

  async #revive(port: number): Promise<void> {
    const { own, log } = this.#on;
    const nowMs = systemClock.monotonicMs();
    this.#endedAtMs = [...this.#endedAtMs.filter((atMs) => nowMs - atMs < WITHIN_MS), nowMs];
    if (this.#endedAtMs.length > MOST_ENDS) {
      throw new EmbeddedError('embedded/failed', `Postgres has ended ${MOST_ENDS + 1} times within a minute.`);
    }
    log('the embedded Postgres has ended by itself, and is started again');
    this.#watch(await own(port));
  }
}
