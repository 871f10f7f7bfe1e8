import type { Cluster, Redis } from 'ioredis';
import type { HandOff } from '../../../timer/index/due-index.ts';
import { newestEntries } from '../../../timer/index/newest-entries.ts';
import type { IndexEntry, IndexRemoval } from '../../../timer/model/index-entry.ts';
import { fenceOf, fireAtMsOfScore, revisionOfScore, scoreOf } from './fence-score.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { RedisScripts } from './redis-scripts.ts';

/** Lua's `unpack` ends near 8000 values. */
const LARGEST_CALL = 1000;

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly keys: RedisKeys;
  readonly scripts: RedisScripts;
  readonly wakeChannel: string;
  readonly timersADelivery: number;
}

/**
 * What is due when, in one generation: each shard a ZSET and the ZSETs of its owners, changed by scripts together.
 * Errors come out as ioredis throws them.
 */
export class RedisOrders {
  readonly #client: Redis | Cluster;
  readonly #keys: RedisKeys;
  readonly #scripts: RedisScripts;
  readonly #wakeChannel: string;
  readonly #timersADelivery: number;

  constructor({ client, keys, scripts, wakeChannel, timersADelivery }: Dependencies) {
    this.#client = client;
    this.#keys = keys;
    this.#scripts = scripts;
    this.#wakeChannel = wakeChannel;
    this.#timersADelivery = timersADelivery;
  }

  /** False when a shard takes nothing. */
  async put(entries: readonly IndexEntry[]): Promise<boolean> {
    const answers = await this.#perShard(newestEntries(entries), (shard, chunk) => {
      const args = chunk.flatMap((entry) => [entry.timerId, entry.owner, scoreOf(entry)]);
      const head = [this.#keys.ownerPrefix(shard), this.#wakeChannel, this.#placeOf(shard)];
      return this.#scripts.put([this.#keys.due(shard), this.#keys.mark(shard)], [...head, ...args]);
    });
    return answers.every((answer) => Number(answer) >= 0);
  }

  async remove(removals: readonly IndexRemoval[]): Promise<void> {
    await this.#perShard(removals, (shard, chunk) => {
      const args = chunk.flatMap(({ timerId, owner, revision }) => [timerId, owner, fenceOf(revision)]);
      return this.#scripts.remove([this.#keys.due(shard)], [this.#keys.ownerPrefix(shard), ...args]);
    });
  }

  async handOff(shard: number, nowMs: number, limit: number): Promise<HandOff> {
    const bound = [Math.floor(nowMs) + 1, Math.min(limit, LARGEST_CALL), this.#timersADelivery];
    const reply = await this.#scripts.handOff(
      [this.#keys.due(shard), this.#keys.stream(shard)],
      [...bound, this.#keys.ownerPrefix(shard), this.#wakeChannel, this.#placeOf(shard)],
    );
    const [moved, next] = reply as [number, string | null];
    return { moved, nextFireAtMs: next === null ? undefined : fireAtMsOfScore(next) };
  }

  async listByOwner(owner: string): Promise<readonly { timerId: string; fireAtMs: number }[]> {
    const key = this.#keys.ownerPrefix(this.#keys.shardOf(owner)) + owner;
    const flat = await this.#client.zrange(key, 0, -1, 'WITHSCORES');
    return pairsOf(flat).map(([timerId, score]) => ({ timerId, fireAtMs: fireAtMsOfScore(score) }));
  }

  async fireTimes(timers: readonly Pick<IndexEntry, 'timerId' | 'owner'>[]): Promise<ReadonlyMap<string, number>> {
    const times = new Map<string, number>();
    await this.#perShard(timers, async (shard, chunk) => {
      const members = chunk.map(({ timerId, owner }) => `${timerId}:${owner}`);
      const scores = await this.#client.zmscore(this.#keys.due(shard), ...members);
      chunk.forEach(({ timerId }, at) => {
        const score = scores[at];
        if (score) times.set(timerId, fireAtMsOfScore(score));
      });
    });
    return times;
  }

  async between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]> {
    const found = await this.#keys.each((shard) =>
      this.#client.zrangebyscore(this.#keys.due(shard), fromMs, `(${beforeMs}`, 'WITHSCORES', 'LIMIT', 0, limit),
    );
    return found.flatMap((flat) => pairsOf(flat).map(([member, score]) => entryOfMember(member, score)));
  }

  counts(): Promise<readonly number[]> {
    return this.#keys.each((shard) => this.#client.zcard(this.#keys.due(shard)));
  }

  /** Takes all of the generation away, about `limit` entries at a time; answers how much went. */
  async drop(limit: number): Promise<number> {
    const count = Math.min(LARGEST_CALL, Math.ceil(limit / this.#keys.shards));
    const gone = await this.#keys.each((shard) =>
      this.#scripts.drop(
        [this.#keys.due(shard), this.#keys.stream(shard), this.#keys.mark(shard)],
        [this.#keys.ownerPrefix(shard), count],
      ),
    );
    return gone.reduce<number>((sum, each) => sum + Number(each), 0);
  }

  /** As messages name it. */
  #placeOf(shard: number): string {
    return `${this.#keys.number} ${shard}`;
  }

  async #perShard<T extends { readonly owner: string }>(
    items: readonly T[],
    call: (shard: number, chunk: readonly T[]) => Promise<unknown>,
  ): Promise<readonly unknown[]> {
    const byShard = Map.groupBy(items, (item) => this.#keys.shardOf(item.owner));
    const ofShard = async ([shard, all]: [number, T[]]): Promise<unknown[]> => {
      const answers: unknown[] = [];
      for (let at = 0; at < all.length; at += LARGEST_CALL) {
        answers.push(await call(shard, all.slice(at, at + LARGEST_CALL)));
      }
      return answers;
    };
    return (await Promise.all([...byShard].map(ofShard))).flat();
  }
}

/** What `WITHSCORES` answers. */
const pairsOf = (flat: readonly string[]): readonly (readonly [member: string, score: string])[] =>
  Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? ''] as const);

const entryOfMember = (member: string, score: string): IndexEntry => {
  const colon = member.indexOf(':');
  const [timerId, owner] = [member.slice(0, colon), member.slice(colon + 1)];
  return { timerId, owner, fireAtMs: fireAtMsOfScore(score), revision: revisionOfScore(score) };
};
