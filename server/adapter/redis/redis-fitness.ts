import type { Cluster, Redis } from 'ioredis';
import { checkRedis, RedisUnfit } from './check-redis.ts';

interface Dependencies {
  readonly client: Redis | Cluster;
  /** Called once for each reason not to use it. */
  readonly onUnfit: (error: RedisUnfit) => void;
}

/** Whether the Redis that answers may be used. Another one may answer after each lost connection. */
export class RedisFitness {
  readonly #client: Redis | Cluster;
  readonly #onUnfit: Dependencies['onUnfit'];
  #isFit = false;
  #connections = 0;
  #said: string | undefined;

  constructor({ client, onUnfit }: Dependencies) {
    this.#client = client;
    this.#onUnfit = onUnfit;
    client.on('close', () => {
      this.#isFit = false;
      this.#connections += 1;
    });
  }

  get isFit(): boolean {
    return this.#isFit;
  }

  /** Throws `RedisUnfit`, and what ioredis throws while it is away. */
  async check(): Promise<void> {
    const connections = this.#connections;
    await checkRedis(this.#client);
    if (connections !== this.#connections) throw new Error('the connection was lost while Redis was looked at');
    this.#isFit = true;
    this.#said = undefined;
  }

  /** For who asks again and again: says what is wrong the first time. Throws as `check`. */
  async probe(): Promise<void> {
    if (this.#isFit) return void (await this.#client.ping());
    try {
      await this.check();
    } catch (error) {
      if (error instanceof RedisUnfit && error.message !== this.#said) {
        this.#said = error.message;
        this.#onUnfit(error);
      }
      throw error;
    }
  }
}
