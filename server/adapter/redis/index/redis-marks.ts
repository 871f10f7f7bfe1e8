import type { Cluster, Redis } from 'ioredis';
import type { RedisKeys } from './redis-keys.ts';
import type { RedisScripts } from './redis-scripts.ts';

const REBUILDING = 'rebuilding';

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly keys: RedisKeys;
  readonly scripts: RedisScripts;
}

/**
 * How far the shards of one generation have come, each with a mark of its own: none, refilled, whole. A whole shard
 * counts its pulse there. Errors come out as ioredis throws them.
 */
export class RedisMarks {
  readonly #client: Redis | Cluster;
  readonly #keys: RedisKeys;
  readonly #scripts: RedisScripts;

  constructor({ client, keys, scripts }: Dependencies) {
    this.#client = client;
    this.#keys = keys;
    this.#scripts = scripts;
  }

  async areWhole(pulse: number): Promise<boolean> {
    const marks = await this.#each((mark) => this.#client.get(mark));
    return marks.every((mark) => mark !== null && mark !== REBUILDING && Number(mark) >= pulse);
  }

  /** The lowest pulse; undefined when not every shard is whole. */
  async raisePulse(): Promise<number | undefined> {
    const lowest = Math.min(...(await this.#each((mark) => this.#scripts.raisePulse([mark]))).map(Number));
    return lowest < 0 ? undefined : lowest;
  }

  async begin(): Promise<void> {
    await this.#each((mark) => this.#client.set(mark, REBUILDING));
  }

  async finish(): Promise<boolean> {
    return (await this.#each((mark) => this.#scripts.finishRebuild([mark]))).every((answer) => answer === 1);
  }

  async remove(): Promise<void> {
    await this.#each((mark) => this.#client.del(mark));
  }

  #each<T>(call: (mark: string) => Promise<T>): Promise<T[]> {
    return this.#keys.each((shard) => call(this.#keys.mark(shard)));
  }
}
