import type { Explained } from './explained-mutant.ts';

const LUA = 'server/adapter/redis/index/lua';

export const ofLua: readonly Explained[] = [
  {
    file: `${LUA}/remove.lua`,
    was: 'if not present or (revision - tonumber(present) % 1 * REVISIONS) % REVISIONS < REVISIONS / 2 then',
    is: 'if not present or (revision - tonumber(present) % 2 * REVISIONS) % REVISIONS < REVISIONS / 2 then',
    why: 'the whole part that is left is a multiple of the circle',
  },
  { file: `${LUA}/put.lua`, was: 'local REVISIONS = 2048', why: 'both sides of the comparison are scaled alike' },
  {
    file: `${LUA}/put.lua`,
    was: "local before = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]",
    why: 'only speed: more is read, and the first of it used',
  },
  {
    file: `${LUA}/put.lua`,
    was: "local after = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]",
    why: 'only speed: more is read, and the first of it used',
  },
  {
    file: `${LUA}/hand-off.lua`,
    was: "local colon = string.find(member, ':', 1, true)",
    why: 'an id has one character at least',
  },
  {
    file: `${LUA}/hand-off.lua`,
    was: 'local id, owner = string.sub(member, 1, colon - 1), string.sub(member, colon + 1)',
    is: 'local id, owner = string.sub(member, 0, colon - 1), string.sub(member, colon + 1)',
    why: 'Lua takes 0 for the beginning too',
  },
  {
    file: `${LUA}/hand-off.lua`,
    was: "return { #members, redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2] or false }",
    why: 'only speed: more is read, and the first of it used',
  },
  {
    file: `${LUA}/hold.lua`,
    was: "if #redis.call('XPENDING', KEYS[1], ARGV[1], id, id, 1, ARGV[2]) > 0 then",
    why: 'one id is one entry, whatever the limit',
  },
  {
    file: `${LUA}/hold.lua`,
    was: "redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id, 'JUSTID')",
    is: "redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 1, id, 'JUSTID')",
    why: 'what was received within this millisecond is fresh already',
  },
  {
    file: `${LUA}/hold.lua`,
    was: "redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id, 'JUSTID')",
    is: "redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], -1, id, 'JUSTID')",
    why: 'Redis takes it for 0',
  },
  {
    file: `${LUA}/drop.lua`,
    was: 'if #members == 0 then return gone end',
    why: 'without members the rest takes nothing',
  },
  {
    file: `${LUA}/drop.lua`,
    was: "local colon = string.find(member, ':', 1, true)",
    why: 'an id has one character at least',
  },
  {
    file: `${LUA}/open-stream.lua`,
    was: "if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then return made end",
    why: 'Lua takes 0 for the beginning too',
  },
  {
    file: `${LUA}/beat.lua`,
    was: 'local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)',
    is: 'local nowMs = time[1] * 1000 + math.floor(time[2] / 1001)',
    why: 'off by a millisecond, of a silence of seconds',
  },
  {
    file: `${LUA}/forget-consumers.lua`,
    was: 'for at = 1, #flat, 2 do consumer[flat[at]] = flat[at + 1] end',
    is: 'for at = 1, #flat, 1 do consumer[flat[at]] = flat[at + 1] end',
    why: 'values become keys too, and nobody asks for them',
  },
  {
    file: `${LUA}/forget-consumers.lua`,
    was: 'if consumer.pending == 0 and consumer.idle >= tonumber(ARGV[2]) then',
    why: 'off by a millisecond, of a silence of minutes',
  },
];
