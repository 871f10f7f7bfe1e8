import { hash32 } from '../../../runtime/hash32.ts';

/**
 * The shard of an owner. Part of the contract: another hash is another arrangement of the keys in Redis, hence a new
 * generation.
 */
export const shardOf = (owner: string, shards: number): number => hash32(owner) % shards;
