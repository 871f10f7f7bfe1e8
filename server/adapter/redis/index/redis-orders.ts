import type { Cluster, Redis } from 'ioredis';
import type { DueOrders } from '../../../timer/index/due-index.ts';
import type { IndexEntry, IndexRemoval } from '../../../timer/model/index-entry.ts';
import { fenceOf, fireAtMsOfScore, revisionOfScore, scoreOf } from './fence-score.ts';
import { inBatches } from './in-batches.ts';
import type { RedisInUse } from './redis-in-use.ts';
import type { RedisKeys } from './redis-keys.ts';
import { LARGEST_CALL, type RedisScripts } from './redis-scripts.ts';

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly scripts: RedisScripts;
  readonly inUse: RedisInUse;
}

/** The orders in Redis (`DueOrders`): per shard a ZSET and the ZSETs of its owners. Scripts change them together. */
export class RedisOrders implements DueOrders {
  readonly #on: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  async put(entries: readonly IndexEntry[]): Promise<boolean> {
    const replies = await this.#perShard(newestEntries(entries), (keys, shard, chunk) => {
      const args = chunk.flatMap((entry) => [entry.timerId, entry.owner, scoreOf(entry)]);
      const head = [keys.ownerPrefix(shard), keys.wakeChannel, keys.placeOf(shard)];
      return this.#on.scripts.put([keys.due(shard), keys.mark(shard)], [...head, ...args]);
    });
    return replies.every((reply) => Number(reply) >= 0);
  }

  async remove(removals: readonly IndexRemoval[]): Promise<void> {
    await this.#perShard(removals, (keys, shard, chunk) => {
      const args = chunk.flatMap(({ timerId, owner, revision }) => [timerId, owner, fenceOf(revision)]);
      return this.#on.scripts.remove([keys.due(shard)], [keys.ownerPrefix(shard), ...args]);
    });
  }

  async listByOwner(owner: string): Promise<readonly IndexEntry[]> {
    const flat = await this.#on.inUse.ask((keys) =>
      this.#on.client.zrange(keys.ownerPrefix(keys.shardOf(owner)) + owner, 0, -1, 'WITHSCORES'),
    );
    return pairsOf(flat).map(([timerId, score]) => entryOf(timerId, owner, score));
  }

  async fireTimes(timers: readonly Pick<IndexEntry, 'timerId' | 'owner'>[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.#perShard(timers, async (keys, shard, chunk) => {
      const scores = await this.#on.client.zmscore(keys.due(shard), ...chunk.map(memberOf));
      return chunk.flatMap(({ timerId }, at) => {
        const score = scores[at];
        return score ? [[timerId, fireAtMsOfScore(score)] as const] : [];
      });
    });
    return new Map(found.flat());
  }

  async between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]> {
    const found = await this.#on.inUse.ask((keys) =>
      keys.each((shard) =>
        this.#on.client.zrangebyscore(keys.due(shard), fromMs, `(${beforeMs}`, 'WITHSCORES', 'LIMIT', 0, limit),
      ),
    );
    return found.flatMap((flat) => pairsOf(flat).map(([member, score]) => entryOfMember(member, score)));
  }

  async countBetween(fromMs: number, beforeMs: number): Promise<number> {
    const counts = await this.#on.inUse.ask((keys) =>
      keys.each((shard) => this.#on.client.zcount(keys.due(shard), fromMs, `(${beforeMs}`)),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  counts(): Promise<readonly number[]> {
    return this.#on.inUse.ask((keys) => keys.each((shard) => this.#on.client.zcard(keys.due(shard))));
  }

  /** One socket write for everything that is sent at once; a Cluster has a socket for each node. */
  #together<Reply>(send: () => Promise<Reply>): Promise<Reply> {
    const { client } = this.#on;
    const socket = 'stream' in client ? client.stream : undefined;
    socket?.cork();
    try {
      return send();
    } finally {
      socket?.uncork();
    }
  }

  #perShard<T extends { readonly owner: string }, Reply>(
    items: readonly T[],
    call: (keys: RedisKeys, shard: number, chunk: readonly T[]) => Promise<Reply>,
  ): Promise<readonly Reply[]> {
    return this.#on.inUse.ask(async (keys) => {
      const byShard = Map.groupBy(items, (item) => keys.shardOf(item.owner));
      const ofShard = async ([shard, all]: [number, T[]]): Promise<Reply[]> => {
        const replies: Reply[] = [];
        for (let at = 0; at < all.length; at += LARGEST_CALL) {
          replies.push(await call(keys, shard, all.slice(at, at + LARGEST_CALL)));
        }
        return replies;
      };
      return (await this.#together(() => inBatches([...byShard], ofShard))).flat();
    });
  }
}

/** The reply of `WITHSCORES` as pairs. */
const pairsOf = (flat: readonly string[]): readonly (readonly [member: string, score: string])[] =>
  Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? ''] as const);

const memberOf = ({ timerId, owner }: Pick<IndexEntry, 'timerId' | 'owner'>): string => `${timerId}:${owner}`;

const entryOfMember = (member: string, score: string): IndexEntry => {
  const colon = member.indexOf(':');
  return entryOf(member.slice(0, colon), member.slice(colon + 1), score);
};

const entryOf = (timerId: string, owner: string, score: string): IndexEntry => ({
  timerId,
  owner,
  fireAtMs: fireAtMsOfScore(score),
  revision: revisionOfScore(score),
});

/** One entry for each timer: the newest, or the last of equal ones. */
export const newestEntries = (entries: readonly IndexEntry[]): readonly IndexEntry[] => {
  const newest = new Map<string, IndexEntry>();
  for (const entry of entries) {
    const other = newest.get(entry.timerId);
    if (other === undefined || other.revision <= entry.revision) newest.set(entry.timerId, entry);
  }
  return newest.size === entries.length ? entries : [...newest.values()];
};
