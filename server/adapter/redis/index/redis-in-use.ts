import { hash32 } from '../../../runtime/hash32.ts';
import type { GenerationInUse } from '../../../timer/index/due-index.ts';
import type { Generation } from '../../../timer/index/generation.ts';
import type { RedisLink } from '../link/redis-link.ts';
import { RedisKeys } from './redis-keys.ts';

interface Dependencies {
  readonly prefix: string;
  /** The number of shards until a generation is in use. */
  readonly shards: number;
  readonly link: Pick<RedisLink, 'ask'>;
}

/**
 * The generation in use (`GenerationInUse`), and the path of every call to Redis. A call works with the keys of one
 * generation, even if another one comes into use meanwhile.
 */
export class RedisInUse implements GenerationInUse {
  readonly maxShards = 1024;
  readonly #on: Omit<Dependencies, 'shards'>;
  readonly #changeListeners = new Set<(shards: number) => void>();
  readonly #newerListeners = new Set<() => void>();
  #keys: RedisKeys;

  constructor({ shards, ...dependencies }: Dependencies) {
    this.#on = dependencies;
    this.#keys = new RedisKeys(dependencies.prefix, { number: 0, shards });
  }

  /** The prefix of keys and channels: the database's own after `belongTo`. */
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
   * Call it before the first call of Redis: the keys are for the timers of this deployment. A restored database never
   * shares keys with its predecessor. Two databases on one server never share channels, which have no database number.
   */
  belongTo(deployment: string): void {
    this.#keys = new RedisKeys(`${this.#on.prefix}:${hash32(deployment).toString(36)}`, this.#keys);
  }

  /** Whether a message concerns our generation. A message of a later generation calls the listeners. */
  noteGeneration(generation: number): boolean {
    if (generation > this.number) for (const listener of this.#newerListeners) listener();
    return generation === this.number;
  }

  keysOf(generation: Generation): RedisKeys {
    return new RedisKeys(this.prefix, generation);
  }

  /** Throws `IndexUnavailable`. */
  ask<T>(command: (keys: RedisKeys) => Promise<T>): Promise<T> {
    return this.#on.link.ask(() => command(this.#keys));
  }

  /** Calls Redis even if it counts as unusable. */
  probe<T>(command: (keys: RedisKeys) => Promise<T>): Promise<T> {
    return command(this.#keys);
  }
}
