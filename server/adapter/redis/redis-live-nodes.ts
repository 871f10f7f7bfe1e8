import type { Cluster, Redis } from 'ioredis';
import type { LiveNodes } from '../../timer/dispatch/live-nodes.ts';
import type { RedisInUse } from './index/redis-in-use.ts';
import { nodesKeyOf } from './index/redis-keys.ts';
import { type RedisScripts, redisScripts } from './index/redis-scripts.ts';

/** With a heartbeat each half second, other nodes take a dead node's shards within three seconds. */
const SILENT_MS = 2000;

interface Dependencies {
  /** The due index connects and ends it. */
  readonly client: Redis | Cluster;
  /** Redis is asked only while the keys in it are ours. */
  readonly inUse: Pick<RedisInUse, 'ask'>;
  /** Unique among the nodes. */
  readonly self: string;
}

/** The live nodes by their heartbeats in Redis (`LiveNodes`), by its clock only. Throws `IndexUnavailable`. */
export class RedisLiveNodes implements LiveNodes {
  readonly self: string;
  readonly #on: Dependencies;
  readonly #scripts: RedisScripts;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    this.self = dependencies.self;
    this.#scripts = redisScripts(dependencies.client);
  }

  async heartbeat(): Promise<readonly string[]> {
    return this.#on.inUse.ask(
      ({ prefix }) => this.#scripts.heartbeat([nodesKeyOf(prefix)], [this.self, SILENT_MS]) as Promise<string[]>,
    );
  }

  async list(): Promise<readonly string[]> {
    return this.#on.inUse.ask(({ prefix }) => this.#on.client.zrange(nodesKeyOf(prefix), 0, -1));
  }

  async leave(): Promise<void> {
    await this.#on.inUse.ask(({ prefix }) => this.#on.client.zrem(nodesKeyOf(prefix), this.self));
  }
}
