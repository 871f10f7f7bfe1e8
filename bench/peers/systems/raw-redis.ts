import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { dueKey, idOf, ownerPrefix, SHARDS, type Streams, shards, streamKey } from '../../timers/raw-redis-keys.ts';
import { type Fires, type Item, type OpenSystem, type Outcome, ownerOf } from '../measure/timer-system.ts';

// KEYS of the first four: due ZSET, owner's ZSET. ARGV: timer, then a time or a difference in ms. They return 0 if no
// timer waits under the name.

const schedule = `
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1`;

const move = `
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1`;

const shift = `
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZINCRBY', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZINCRBY', KEYS[2], ARGV[2], ARGV[1])
return 1`;

const cancel = `
local removed = redis.call('ZREM', KEYS[1], ARGV[1])
if removed == 1 then redis.call('ZREM', KEYS[2], ARGV[1]) end
return removed`;

/** KEYS: due ZSET, then the owner's ZSET of each timer. ARGV: timer, time, repeated. */
const bulkSchedule = `
local all = {}
for at = 1, #ARGV, 2 do
  all[#all + 1] = ARGV[at + 1]
  all[#all + 1] = ARGV[at]
  redis.call('ZADD', KEYS[(at + 1) / 2 + 1], ARGV[at + 1], ARGV[at])
end
redis.call('ZADD', KEYS[1], unpack(all))
return #ARGV / 2`;

/** KEYS: due ZSET, and a stream or none. ARGV: now, limit, prefix of the owners' ZSETs. Returns the taken timers. */
const claim = `
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
if #due == 0 then return due end
redis.call('ZREM', KEYS[1], unpack(due))
for _, timer in ipairs(due) do
  redis.call('ZREM', ARGV[3] .. string.match(timer, '^(%d+):'), timer)
  if KEYS[2] then redis.call('XADD', KEYS[2], '*', 'timer', timer) end
end
return due`;

interface Options {
  readonly reader: Redis;
  readonly acker: Redis;
  readonly streams: readonly string[];
  readonly fires: Fires;
  readonly idOf: (timer: string) => number;
}

const READ_LIMIT = 500;
const BLOCK_MS = 200;

/** Passes timers from the streams to `fires`, and acks them when their effect is durable. Resolves at once. */
const readStreams = async ({ reader, acker, streams, fires, idOf }: Options): Promise<void> => {
  for (const key of streams) await acker.xgroup('CREATE', key, 'group', '0', 'MKSTREAM');
  const handle = async (key: string, entries: [id: string, fields: string[]][]): Promise<void> => {
    await fires.handle(entries.map(([, [, timer = '']]) => idOf(timer)));
    const entryIds = entries.map(([entryId]) => entryId);
    await Promise.all([acker.xack(key, 'group', ...entryIds), acker.xdel(key, ...entryIds)]);
  };
  const read = async (): Promise<never> => {
    for (;;) {
      const found = await reader.xreadgroup(
        ...(['GROUP', 'group', 'bench', 'COUNT', READ_LIMIT, 'BLOCK', BLOCK_MS, 'STREAMS'] as const),
        ...streams,
        ...streams.map(() => '>'),
      );
      for (const [key, entries] of (found as Streams) ?? []) void handle(key, entries);
    }
  };
  void read();
};

const CLAIM_LIMIT = 500;

/** A script, by the number of keys first where it varies. */
type Script = (...args: readonly (string | number)[]) => Promise<unknown>;

/**
 * The physical limit on Redis: one order of all timers and one for each owner, changed by one script, and polled every
 * millisecond. Without a Stream a fire is lost with its process; with one it waits until its effect is acked.
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

const shardOf = (id: number): number => ownerOf(id) % SHARDS;
const ownerKey = (id: number): string => `${ownerPrefix(shardOf(id))}${ownerOf(id)}`;
const timerOf = (id: number): string => `${ownerOf(id)}:${id}`;
const keysOf = (id: number): [due: string, owner: string, timer: string] => [
  dueKey(shardOf(id)),
  ownerKey(id),
  timerOf(id),
];
const outcomeOf = (changed: unknown): Outcome => (changed === 1 ? 'applied' : 'too-late');
