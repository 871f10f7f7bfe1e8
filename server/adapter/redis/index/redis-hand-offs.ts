import type { HandOff, HandOffs } from '../../../timer/index/due-index.ts';
import { fireAtMsOfScore } from './fence-score.ts';
import type { RedisInUse } from './redis-in-use.ts';
import { LARGEST_CALL, type RedisScripts } from './redis-scripts.ts';

/** Small deliveries are quicker to read and ack, and several workers can share a burst. */
export const TIMERS_A_DELIVERY = 10;

interface Dependencies {
  readonly scripts: RedisScripts;
  readonly inUse: RedisInUse;
  /** Called when a shard's stream has entries. */
  readonly onDelivery: (shard: number) => void;
}

/** Moves entries from a shard's ZSETs into its stream, with one script (`HandOffs`). */
export class RedisHandOffs implements HandOffs {
  readonly #on: Dependencies;
  readonly #listeners = new Set<(shard: number, fireAtMs: number) => void>();

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  async handOff(shard: number, nowMs: number, limit: number): Promise<HandOff> {
    const { scripts, inUse, onDelivery } = this.#on;
    const { number } = inUse;
    const reply = await inUse.ask((keys) =>
      scripts.handOff(
        [keys.due(shard), keys.stream(shard)],
        [
          Math.floor(nowMs) + 1,
          Math.min(limit, LARGEST_CALL),
          TIMERS_A_DELIVERY,
          keys.ownerPrefix(shard),
          keys.wakeChannel,
          keys.placeOf(shard),
        ],
      ),
    );
    const [moved, next] = reply as [number, string | null];
    // The message may be slower than the reply, or be lost.
    if (moved > 0 && number === inUse.number) onDelivery(shard);
    return { moved, nextFireAtMs: next === null ? undefined : fireAtMsOfScore(next) };
  }

  onEarlierHead(listener: (shard: number, fireAtMs: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Call it when a shard has an earlier head. */
  noteHead(shard: number, score: string): void {
    for (const listener of this.#listeners) listener(shard, fireAtMsOfScore(score));
  }
}
