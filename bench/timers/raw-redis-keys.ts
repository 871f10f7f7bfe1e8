// The keys of raw Redis, and of its timers `owner:id`.

export const SHARDS = 4;
export const shards: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

export const dueKey = (shard: number): string => `{${shard}}:due`;
export const streamKey = (shard: number): string => `{${shard}}:stream`;
export const ownerPrefix = (shard: number): string => `{${shard}}:owner:`;

export const idOf = (timer: string): number => Number(timer.slice(timer.indexOf(':') + 1));

/** The reply of XREADGROUP. */
export type Streams = [key: string, entries: [id: string, fields: string[]][]][] | null;
