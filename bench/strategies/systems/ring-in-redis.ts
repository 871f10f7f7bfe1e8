import { Redis } from 'ioredis';
import { cycleOf, SECOND_MS, SLOTS, secondOf } from './ring.ts';
import type { OpenStrategy } from './strategy.ts';
import { untilNext } from './table.ts';

/** KEYS: the slot's list. Removes the cells of cycle 0, each through a marker, and returns their ids; others lose a cycle. */
const pass = `
local due = {}
for at, cell in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local id, cycle = string.match(cell, '^(%d+):(%d+)$')
  if cycle == '0' then
    due[#due + 1] = id
    redis.call('LSET', KEYS[1], at - 1, '')
  else
    redis.call('LSET', KEYS[1], at - 1, id .. ':' .. (cycle - 1))
  end
end
if #due > 0 then redis.call('LREM', KEYS[1], 0, '') end
return due`;

/** KEYS: slot, new slot. ARGV: id, new cell. Searches the slot for the cell; does nothing if it is gone. */
const move = `
for at, cell in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if string.match(cell, '^(%d+):') == ARGV[1] then
    redis.call('LSET', KEYS[1], at - 1, '')
    redis.call('LREM', KEYS[1], 1, '')
    redis.call('RPUSH', KEYS[2], ARGV[2])
    return
  end
end`;

interface Scripts {
  pass(slot: string): Promise<string[]>;
  move(slot: string, newSlot: string, id: number, cell: string): Promise<null>;
}

/** The ring of 3,600 slots as lists in Redis; the cursor is in this process. */
export const ringInRedis: OpenStrategy = async ({ clock, redisUrl, hand }) => {
  const redis = new Redis(redisUrl, {
    scripts: { pass: { lua: pass, numberOfKeys: 1 }, move: { lua: move, numberOfKeys: 2 } },
  });
  const scripts = redis as unknown as Scripts;
  let doneSecond = Math.floor(clock.nowMs() / SECOND_MS);
  const keyOf = (second: number): string => `slot:${second % SLOTS}`;
  const turn = async (): Promise<number> => {
    const second = Math.floor(clock.nowMs() / SECOND_MS);
    while (doneSecond < second) {
      // Commands of one connection keep their order, so later puts count from this second.
      doneSecond += 1;
      const due = await scripts.pass(keyOf(doneSecond));
      if (due.length > 0) hand(due.map(Number));
    }
    return untilNext(clock.nowMs(), SECOND_MS);
  };
  return {
    schedule: async (items) => {
      const pipeline = redis.pipeline();
      for (const { id, dueAtMs } of items) {
        const second = secondOf(dueAtMs, doneSecond);
        pipeline.rpush(keyOf(second), `${id}:${cycleOf(second, doneSecond)}`);
      }
      await pipeline.exec();
    },
    move: async (moves) => {
      await Promise.all(
        moves.map(({ id, fromDueAtMs, dueAtMs }) => {
          const second = secondOf(dueAtMs, doneSecond);
          const cell = `${id}:${cycleOf(second, doneSecond)}`;
          return scripts.move(keyOf(Math.ceil(fromDueAtMs / SECOND_MS)), keyOf(second), id, cell);
        }),
      );
    },
    loops: [turn],
    close: async () => redis.disconnect(),
  };
};
