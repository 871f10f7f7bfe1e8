import type { Cluster, Redis } from 'ioredis';
import type { IndexMarks } from '../../../timer/index/due-index.ts';
import type { Generation } from '../../../timer/index/generation.ts';
import type { RedisInUse } from './redis-in-use.ts';
import { LARGEST_CALL, type RedisScripts } from './redis-scripts.ts';

const REBUILDING = 'rebuilding';

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly scripts: RedisScripts;
  readonly inUse: RedisInUse;
}

/** The progress of the shards. Each has a mark: none, rebuilding, or whole. A whole shard counts its pulse there. */
export class RedisMarks implements IndexMarks {
  readonly #on: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  async isWhole(pulse: number): Promise<boolean> {
    const marks = await this.#each((mark) => this.#on.client.get(mark));
    return marks.every((mark) => mark !== null && mark !== REBUILDING && Number(mark) >= pulse);
  }

  async raisePulse(): Promise<number | undefined> {
    const lowest = Math.min(...(await this.#each((mark) => this.#on.scripts.raisePulse([mark]))).map(Number));
    return lowest < 0 ? undefined : lowest;
  }

  async begin(generation: number): Promise<boolean> {
    if (!this.#isInUse(generation)) return false;
    await this.#each((mark) => this.#on.client.set(mark, REBUILDING));
    return true;
  }

  async finish(generation: number): Promise<boolean> {
    if (!this.#isInUse(generation)) return false;
    return (await this.#each((mark) => this.#on.scripts.finishRebuild([mark]))).every((reply) => reply === 1);
  }

  async retire(generation: number): Promise<void> {
    if (this.#isInUse(generation)) await this.#each((mark) => this.#on.client.del(mark));
  }

  drop(generation: Generation, limit: number): Promise<number> {
    const { scripts, inUse } = this.#on;
    return inUse.ask(async () => {
      const keys = inUse.keysOf(generation);
      const count = Math.min(LARGEST_CALL, Math.ceil(limit / keys.shards));
      const gone = await keys.each((shard) =>
        scripts.drop([keys.due(shard), keys.stream(shard), keys.mark(shard)], [keys.ownerPrefix(shard), count]),
      );
      return gone.reduce<number>((sum, each) => sum + Number(each), 0);
    });
  }

  #isInUse(generation: number): boolean {
    return generation === this.#on.inUse.number;
  }

  #each<T>(call: (mark: string) => Promise<T>): Promise<T[]> {
    return this.#on.inUse.ask((keys) => keys.each((shard) => call(keys.mark(shard))));
  }
}
