import type { Cluster, Redis } from 'ioredis';
import type { LiveNodes } from '../../timer/dispatch/live-nodes.ts';
import { IndexUnavailable } from '../../timer/index/due-index.ts';
import { nodesKeyOf } from './index/redis-keys.ts';
import { type RedisScripts, redisScripts } from './index/redis-scripts.ts';

/** With a heartbeat each half second, other nodes take a dead node's shards within three seconds. */
const SILENT_MS = 2000;

interface Dependencies {
  /** The due index connects and ends it. */
  readonly client: Redis | Cluster;
  readonly prefix: string;
  /** Unique among the nodes. */
  readonly self: string;
}

/** The live nodes by their heartbeats in Redis (`LiveNodes`), by its clock only. Throws `IndexUnavailable`. */
export class RedisLiveNodes implements LiveNodes {
  readonly self: string;
  readonly #client: Redis | Cluster;
  readonly #key: string;
  readonly #scripts: RedisScripts;

  constructor({ client, prefix, self }: Dependencies) {
    this.self = self;
    this.#client = client;
    this.#key = nodesKeyOf(prefix);
    this.#scripts = redisScripts(client);
  }

  async heartbeat(): Promise<readonly string[]> {
    try {
      return (await this.#scripts.heartbeat([this.#key], [this.self, SILENT_MS])) as string[];
    } catch (error) {
      throw new IndexUnavailable(error);
    }
  }

  async list(): Promise<readonly string[]> {
    return this.#client.zrange(this.#key, 0, -1);
  }

  async leave(): Promise<void> {
    await this.#client.zrem(this.#key, this.self);
  }
}
