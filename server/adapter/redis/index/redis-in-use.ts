import { hash32 } from '../../../runtime/hash32.ts';
import type { GenerationInUse } from '../../../timer/index/due-index.ts';
import type { Generation } from '../../../timer/index/generation.ts';
import type { RedisLink } from '../link/redis-link.ts';
import { RedisKeys } from './redis-keys.ts';

interface Dependencies {
  readonly prefix: string;
  /** Until a generation is in use. */
  readonly shards: number;
  readonly link: Pick<RedisLink, 'ask'>;
}

/**
 * The generation in use (`GenerationInUse`), and the way of every call to Redis: it works with the keys of one
 * generation, whatever comes into use meanwhile.
 */
export class RedisInUse implements GenerationInUse {
  readonly maxShards = 1024;
  readonly #prefix: string;
  readonly #link: Dependencies['link'];
  readonly #changeListeners = new Set<(shards: number) => void>();
  readonly #newerListeners = new Set<() => void>();
  #keys: RedisKeys;

  constructor({ prefix, shards, link }: Dependencies) {
    this.#prefix = prefix;
    this.#link = link;
    this.#keys = new RedisKeys(prefix, { number: 0, shards });
  }

  /** What keys and channels begin with: the database's own from `belongTo` on. */
  get prefix(): string {
    return this.#keys.prefix;
  }

  get number(): number {
    return this.#keys.number;
  }

  get shards(): number {
    return this.#keys.shards;
  }

  shardOf(owner: string): number {
    return this.#keys.shardOf(owner);
  }

  use(generation: Generation): void {
    if (generation.number === this.number) return;
    this.#keys = this.keysOf(generation);
    for (const listener of this.#changeListeners) listener(generation.shards);
  }

  onNewer(listener: () => void): () => void {
    this.#newerListeners.add(listener);
    return () => this.#newerListeners.delete(listener);
  }

  /** For the adapter's own parts: calls with the number of shards when another generation comes into use. */
  onChange(listener: (shards: number) => void): void {
    this.#changeListeners.add(listener);
  }

  /**
   * Before the first call: the keys are for the timers of this deployment. Two databases that follow each other, as after
   * a restore, never share keys; two beside each other on one server never share channels, which have no database number.
   */
  belongTo(deployment: string): void {
    this.#keys = new RedisKeys(`${this.#prefix}:${hash32(deployment).toString(36)}`, this.#keys);
  }

  /** Whether a message concerns us. One of a later generation is news of it. */
  heardOf(generation: number): boolean {
    if (generation > this.number) for (const listener of this.#newerListeners) listener();
    return generation === this.number;
  }

  keysOf(generation: Generation): RedisKeys {
    return new RedisKeys(this.prefix, generation);
  }

  /** Throws `IndexUnavailable`. */
  ask<T>(command: (keys: RedisKeys) => Promise<T>): Promise<T> {
    return this.#link.ask(() => command(this.#keys));
  }

  /** Without asking whether Redis is of use. */
  probe<T>(command: (keys: RedisKeys) => Promise<T>): Promise<T> {
    return command(this.#keys);
  }
}
