import { hash32 } from '../../../runtime/hash32.ts';
import type { Generation } from '../../../timer/index/generation.ts';
import { inBatches } from './in-batches.ts';

/**
 * The key names of one generation of the due index; no two generations share a key. All keys of a shard have one hash
 * tag, so one script may change them all.
 */
export class RedisKeys implements Generation {
  readonly number: number;
  readonly shards: number;
  readonly prefix: string;
  readonly wakeChannel: string;

  constructor(prefix: string, { number, shards }: Generation) {
    this.prefix = prefix;
    this.wakeChannel = wakeChannelOf(prefix);
    this.number = number;
    this.shards = shards;
  }

  shardOf(owner: string): number {
    return shardOf(owner, this.shards);
  }

  each<T>(call: (shard: number) => Promise<T>): Promise<T[]> {
    return inBatches([...Array(this.shards).keys()], call);
  }

  due(shard: number): string {
    return `${this.#tag(shard)}due`;
  }

  /** The owner's name follows. */
  ownerPrefix(shard: number): string {
    return `${this.#tag(shard)}o:`;
  }

  stream(shard: number): string {
    return `${this.#tag(shard)}handoff`;
  }

  /** `rebuilding`, or the pulse of a whole shard; a shard without a mark accepts no entries. */
  mark(shard: number): string {
    return `${this.#tag(shard)}mark`;
  }

  /** Written from time to time to check that writing works. */
  probe(shard: number): string {
    return `${this.#tag(shard)}probe`;
  }

  /** The shard's name in messages. */
  placeOf(shard: number): string {
    return `${this.number} ${shard}`;
  }

  #tag(shard: number): string {
    return `{${this.prefix}:${this.number}:${shard}}`;
  }
}

/** Pub/sub, for all shards of all generations. */
export const wakeChannelOf = (prefix: string): string => `${prefix}:wake`;

/** For all shards of all generations. */
export const nodesKeyOf = (prefix: string): string => `{${prefix}}nodes`;

/** Names the timers' deployment. */
export const deploymentKeyOf = (prefix: string): string => `{${prefix}}deployment`;

/**
 * The shard of an owner. Part of the contract: another hash would arrange the keys in Redis differently, which requires
 * a new generation.
 */
export const shardOf = (owner: string, shards: number): number => hash32(owner) % shards;
