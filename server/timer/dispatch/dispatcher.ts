import type { StoreClock } from '../clock/store-clock.ts';
import type { DueIndex } from '../index/due-index.ts';

/** Hints may be lost, so the dispatcher polls at least this often. */
const POLL_EVERY_MS = 1000;
const UNTIL_WOKEN_MS = 3_600_000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'handOffs'>;
  readonly shard: number;
  /** Whether this node owns the shard; when it becomes the owner, the loop is woken. */
  readonly isOwn: () => boolean;
  readonly storeClock: StoreClock;
  readonly limit: number;
}

/** Moves one shard's due timers to the hand-off queue, then sleeps until the next one is due. Never runs a handler. */
export class Dispatcher {
  readonly #on: Dependencies;
  #nextLookAtMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Whether a head at this time is earlier than the next poll. */
  isEarlier(shard: number, fireAtMs: number): boolean {
    return shard === this.#on.shard && this.#on.isOwn() && fireAtMs < this.#nextLookAtMs;
  }

  tick = async (): Promise<number> => {
    if (!this.#on.isOwn()) return UNTIL_WOKEN_MS;
    return this.handOff();
  };

  /** One turn. It does not check the owner of the shard: two owners at once are harmless. */
  async handOff(): Promise<number> {
    // Any head that arrives before the reply counts as earlier, so the loop polls again.
    this.#nextLookAtMs = Number.POSITIVE_INFINITY;
    const { index, shard, storeClock, limit } = this.#on;
    const { moved, nextFireAtMs } = await index.handOffs.handOff(shard, storeClock.nowMs(), limit);
    if (moved >= limit) return 0;
    const nowMs = storeClock.nowMs();
    this.#nextLookAtMs = Math.min(nowMs + POLL_EVERY_MS, nextFireAtMs ?? Number.POSITIVE_INFINITY);
    return Math.max(0, this.#nextLookAtMs - nowMs);
  }
}
