import type { StoreClock } from '../clock/store-clock.ts';
import type { DueIndex } from '../index/due-index.ts';

/** Hints may be lost, so it looks at least this often. */
const LOOK_EVERY_MS = 1000;
const UNTIL_WOKEN_MS = 3_600_000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'handOffs'>;
  readonly shard: number;
  /** Whether this node hands the shard off; who gains it wakes the loop. */
  readonly isOwn: () => boolean;
  readonly storeClock: StoreClock;
  readonly limit: number;
}

/** Moves one shard's due timers to the hand-off queue; sleeps until the next is due. Never runs a handler. */
export class Dispatcher {
  readonly #index: Dependencies['index'];
  readonly #shard: number;
  readonly #isOwn: () => boolean;
  readonly #storeClock: StoreClock;
  readonly #limit: number;
  #nextLookAtMs = Number.NEGATIVE_INFINITY;

  constructor({ index, shard, isOwn, storeClock, limit }: Dependencies) {
    this.#index = index;
    this.#shard = shard;
    this.#isOwn = isOwn;
    this.#storeClock = storeClock;
    this.#limit = limit;
  }

  /** Whether a head at this time is earlier than the next look. */
  isEarlier(shard: number, fireAtMs: number): boolean {
    return shard === this.#shard && this.#isOwn() && fireAtMs < this.#nextLookAtMs;
  }

  tick = async (): Promise<number> => {
    if (!this.#isOwn()) return UNTIL_WOKEN_MS;
    return this.handOff();
  };

  /** One turn. It does not check who owns the shard: two owners at once are harmless. */
  async handOff(): Promise<number> {
    // A head that comes while the reply is under way counts as earlier: look again.
    this.#nextLookAtMs = Number.POSITIVE_INFINITY;
    const { moved, nextFireAtMs } = await this.#index.handOffs.handOff(
      this.#shard,
      this.#storeClock.nowMs(),
      this.#limit,
    );
    if (moved >= this.#limit) return 0;
    const nowMs = this.#storeClock.nowMs();
    this.#nextLookAtMs = Math.min(nowMs + LOOK_EVERY_MS, nextFireAtMs ?? Number.POSITIVE_INFINITY);
    return Math.max(0, this.#nextLookAtMs - nowMs);
  }
}
