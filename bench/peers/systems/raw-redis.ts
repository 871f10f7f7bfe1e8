import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Fires, type Item, type OpenSystem, type Outcome, ownerOf } from '../measure/timer-system.ts';
import { bulkSchedule, cancel, claim, move, schedule, shift } from './raw-redis-scripts.ts';
import { readStreams } from './raw-redis-stream.ts';

const SHARDS = 4;
const CLAIM_LIMIT = 500;

/** A script, by the number of keys first where it varies. */
export type Script = (...args: readonly (string | number)[]) => Promise<unknown>;

/**
 * The physical limit on Redis: an order of all and one of each owner, changed by one script; asked for what is due each
 * millisecond. Without a Stream a fire is lost with its process; with one it waits until its effect is acknowledged.
 */
export const open: OpenSystem = async ({ redisUrl }, variant) => {
  const [writer, claimer] = [connect(redisUrl), connect(redisUrl)];
  const script = (name: string): Script => scriptOf(writer, name);
  const [put, moveOne, shiftOne, remove, putMany] = ['put', 'move', 'shift', 'remove', 'putMany'].map(script);
  if (!put || !moveOne || !shiftOne || !remove || !putMany) throw new Error('a script is missing');
  await writer.ping();

  const scheduleMany = async (items: readonly Item[]): Promise<void> => {
    const byShard = Map.groupBy(items, ({ id }) => shardOf(id));
    await Promise.all(
      [...byShard].map(([shard, own]) =>
        putMany(
          ...[own.length + 1, dueKey(shard), ...own.map(({ id }) => ownerKey(id))],
          ...own.flatMap(({ id, dueAtMs }) => [timerOf(id), dueAtMs]),
        ),
      ),
    );
  };

  return {
    settings: `${SHARDS} shards, one ZSET of each and one of each owner, EVALSHA; ${CLAIM_LIMIT} a claim, 1 ms idle${variant === 'stream' ? '; XADD in the claim, XREADGROUP, XACK after the effect' : ''}`,
    schedule: async ({ id, dueAtMs }) => void (await put(...keysOf(id), dueAtMs)),
    bulk: { limit: 500, schedule: scheduleMany },
    reschedule: async (id, dueAtMs) => outcomeOf(await moveOne(...keysOf(id), dueAtMs)),
    shift: async (id, byMs) => outcomeOf(await shiftOne(...keysOf(id), byMs)),
    cancel: async (id) => outcomeOf(await remove(...keysOf(id))),
    start: async (fires) => {
      const streams = variant === 'stream' ? shards.map(streamKey) : [];
      if (streams.length > 0) await readStreams({ reader: connect(redisUrl), acker: claimer, streams, fires, idOf });
      void claimLoop(scriptOf(claimer, 'claim'), streams, fires);
    },
  };
};

const connect = (url: string): Redis => {
  const redis = new Redis(url);
  for (const [name, lua] of Object.entries({ put: schedule, move, shift, remove: cancel }))
    redis.defineCommand(name, { numberOfKeys: 2, lua });
  redis.defineCommand('putMany', { lua: bulkSchedule });
  redis.defineCommand('claim', { lua: claim });
  return redis;
};

const scriptOf = (redis: Redis, name: string): Script => {
  const script = (redis as unknown as Record<string, Script | undefined>)[name];
  if (script === undefined) throw new Error(`no script ${name}`);
  return script.bind(redis);
};

const claimLoop = async (claimDue: Script, streams: readonly string[], fires: Fires): Promise<never> => {
  for (;;) {
    const found = await Promise.all(
      shards.map((shard) => {
        const keys = [dueKey(shard), ...streams.slice(shard, shard + 1)];
        return claimDue(keys.length, ...keys, Date.now(), CLAIM_LIMIT, ownerPrefix(shard));
      }),
    );
    const ids = (found as string[][]).flat().map(idOf);
    if (streams.length === 0 && ids.length > 0) void fires.handle(ids);
    if (ids.length === 0) await sleep(1);
  }
};

const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
const shardOf = (id: number): number => ownerOf(id) % SHARDS;
const dueKey = (shard: number): string => `{${shard}}:due`;
const streamKey = (shard: number): string => `{${shard}}:stream`;
const ownerPrefix = (shard: number): string => `{${shard}}:owner:`;
const ownerKey = (id: number): string => `${ownerPrefix(shardOf(id))}${ownerOf(id)}`;
const timerOf = (id: number): string => `${ownerOf(id)}:${id}`;
const idOf = (timer: string): number => Number(timer.slice(timer.indexOf(':') + 1));
const keysOf = (id: number): [due: string, owner: string, timer: string] => [
  dueKey(shardOf(id)),
  ownerKey(id),
  timerOf(id),
];
const outcomeOf = (changed: unknown): Outcome => (changed === 1 ? 'applied' : 'too-late');
