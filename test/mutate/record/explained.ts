const WHEEL = 'server/timer/wheel/wheel.ts';
const SLOTS = 'server/timer/wheel/wheel-slots.ts';
const LUA = 'server/adapter/redis/index/lua';
const WATCH = 'server/timer/clock/clock-watch.ts';
const FAILED = 'server/timer/fire/attempt/failed-attempt.ts';
const PUT_BACK = 'server/timer/fire/attempt/put-back.ts';
const RETRY = 'server/timer/fire/attempt/retry.ts';

interface Explained {
  readonly file: string;
  /** The piece as it is written, on one line. */
  readonly was: string;
  /** What the mutant has instead; default: whatever it has. */
  readonly is?: string;
  readonly why: string;
}

/** Why nobody notices these mutants: they do the same, or a slower test of this name notices. */
const explained: readonly Explained[] = [
  { file: WHEEL, was: 'fireAtMs < this.#nextMs', why: 'the same number is written' },
  {
    file: WHEEL,
    was: 'this.#store.listOf(handle) === READY',
    is: 'true',
    why: 'a cancel and an insert do the same for any timer, in more steps',
  },
  { file: WHEEL, was: 'before === this.#nextMs', is: 'true', why: 'the earliest time is looked for once more' },
  {
    file: WHEEL,
    was: 'this.fireAtMsOf(handle) === this.#nextMs',
    is: 'true',
    why: 'the earliest time is looked for once more',
  },
  { file: WHEEL, was: 'Number.isNaN(this.#nextMs)', is: 'true', why: 'the earliest time is looked for once more' },
  { file: WHEEL, was: 'list.length === 0', is: 'true', why: 'a bit that is set is set again' },
  { file: WHEEL, was: 'list === undefined', is: 'false', why: 'never so: it is there for the compiler' },
  {
    file: WHEEL,
    was: 'nowMs > this.#slots.cursorMs',
    why: 'only speed: later timers cascade once more; `npm run bench -- wheel`',
  },
  {
    file: WHEEL,
    was: 'this.#slots.moveCursor(nowMs);',
    why: 'only speed: later timers cascade once more; `npm run bench -- wheel`',
  },
  { file: WHEEL, was: 'handles.length > 1', why: 'one timer is sorted' },
  {
    file: WHEEL,
    was: 'this.#late.length === 0',
    is: 'false',
    why: 'only speed: what is sorted is sorted again; `npm run bench -- wheel`',
  },
  { file: WHEEL, was: 'at < this.#ready.length', why: 'no timer lies there, and none is found' },
  {
    file: WHEEL,
    was: 'slot === NONE || this.#slots.isExact(slot)',
    why: 'only speed: all timers of a slot of one millisecond have the same time; without a slot nobody asks',
  },
  { file: WHEEL, was: 'slot === NONE', is: 'false', why: '-1 is below 256 too' },
  {
    file: SLOTS,
    was: 'Math.floor(cursorMs / SLOTS) === this.#cursor[1]',
    is: 'false',
    why: 'only speed: the same digits are written again',
  },
  { file: SLOTS, was: 'cursorMs / SLOTS', why: 'only speed: the same digits are written again' },
  { file: SLOTS, was: 'level < LEVELS', why: 'a typed array takes and gives nothing past its end' },
  { file: SLOTS, was: 'slot < SLOTS', why: 'slot 256 is never occupied: a later digit is never 0' },
  { file: SLOTS, was: 'word < this.#bits.length', why: 'a typed array gives nothing past its end' },
  {
    file: SLOTS,
    was: 'startMs < beforeMs',
    is: 'startMs <= beforeMs',
    why: 'only speed: one slot more is looked into, and its timers are passed over',
  },
  {
    file: SLOTS,
    was: 'startMs + (SPAN_MS[slot >> 8] ?? 1) > fromMs',
    is: 'startMs + (SPAN_MS[slot >> 8] ?? 1) >= fromMs',
    why: 'only speed: one slot more is looked into, and its timers are passed over',
  },
  {
    file: WHEEL,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source.
    was: 'throw new RangeError(`no slot ${slot}`);',
    why: 'never so: it is there for the compiler',
  },
  { file: FAILED, was: '{ err: error, count: timers.length }', why: 'what a log line carries, for people' },
  { file: PUT_BACK, was: '{ err: error, count: changes.put.length }', why: 'what a log line carries, for people' },
  { file: PUT_BACK, was: '[]', why: 'the index knows no such timer, and removes nothing' },
  { file: RETRY, was: 'derivedDelaysMs.length - 1', why: 'past the end of the table the wait is a minute too' },
  {
    file: `${LUA}/remove.lua`,
    was: 'if present and (revision - tonumber(present) % 1 * REVISIONS) % REVISIONS < REVISIONS / 2 then',
    is: 'if present and (revision - tonumber(present) % 2 * REVISIONS) % REVISIONS < REVISIONS / 2 then',
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
  {
    file: WATCH,
    was: 'false',
    is: 'true',
    why: 'set again before it is read: by `begin`, and by the look after a follow, which never begins a hold',
  },
  { file: WATCH, was: 'clock.monotonicMs() - askedAtMs <= TOGETHER_MS', why: 'off by a millisecond' },
  {
    file: WATCH,
    was: 'distanceMs === undefined',
    is: 'false',
    why: 'a witness that is new during a hold is held against the held time, as the guard does itself',
  },
  { file: WATCH, was: 'Math.abs(witnessMs - databaseMs - distanceMs) <= JUMP_MS', why: 'off by a millisecond' },
  { file: WATCH, was: 'clock.monotonicMs() - this.#startedAtMs >= OLD_MS', why: 'off by a millisecond' },
  { file: WATCH, was: 'Math.abs(nowMs - recorded.trustedAtMs) >= NOTE_EVERY_MS', why: 'off by a millisecond' },
  { file: WATCH, was: 'ms >= trustedAtMs - JUMP_MS', why: 'off by a millisecond' },
  { file: WATCH, was: 'Math.abs(databaseMs - nowMs) > JUMP_MS', why: 'off by a millisecond' },
  {
    file: WATCH,
    was: 'this.#distances.clear();',
    why: 'the next look replaces them; till then they agree only with a clock that went back to where it was',
  },
  { file: WATCH, was: "'held'", is: '""', why: 'a name that only has to be the same each time' },
  { file: WATCH, was: 'cancel();', why: 'a wait that ends in vain, half a second later' },
];

/** Undefined where nobody has looked yet. */
export const explanationOf = (file: string, { was, is }: { readonly was: string; readonly is: string }) =>
  explained.find((some) => some.file === file && some.was === was && (some.is === undefined || some.is === is))?.why;

/** Those of them that no recorded survivor needs. */
export const idleExplanations = (isSurvivor: (some: Explained) => boolean): readonly string[] =>
  explained.filter((some) => !isSurvivor(some)).map(({ file, was }) => `${file}: ${was}`);
