import { because, type Explained } from './explained-mutant.ts';

const WHEEL = 'server/timer/wheel/wheel.ts';
const SLOTS = 'server/timer/wheel/wheel-slots.ts';
const LATE = 'server/timer/fire/attempt/late-timers.ts';
const MODEL = 'server/timer/model/changed-timer.ts';
const GUARD = 'server/timer/clock/clock-guard.ts';
const WATCH = 'server/timer/clock/clock-watch.ts';
const FAILED = 'server/timer/fire/attempt/failed-attempt.ts';
const PUT_BACK = 'server/timer/fire/attempt/put-back.ts';
const COALESCED = 'server/timer/write/coalesced-writes.ts';
const SWEEPER = 'server/timer/fire/sweeper.ts';
const RETRY = 'server/timer/fire/attempt/retry.ts';

export const ofTimers: readonly Explained[] = [
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
  { file: GUARD, was: 'this.#lineMs === undefined', is: 'false', why: 'never so: it is there for the compiler' },
  { file: GUARD, was: 'ms - receivedAtMs > lineMs + allowedMs + JUMP_MS', why: 'off by a millisecond' },
  ...because(LATE, 'what was late before its row was locked is late after that', [['judgement', 'true']]),
  ...because(LATE, 'only speed: the default policy finds nothing', ['!timer.recurrence && !timer.misfire && !ofKind']),
  ...because(LATE, 'the same is returned', ['{ return undefined; }']),
  ...because(LATE, 'the same turn is written once more; it fires now either way', ['judgement.turn.turn > turn']),
  ...because(MODEL, 'nothing is read of it but whether it is paused', ['{ ...timer, isPaused: false }']),
  ...because(MODEL, 'the same is returned', ["case 'revive': return undefined;", "'revive'"]),
  ...because(SWEEPER, 'only speed: each row is judged by the same time once more', [
    ['clock.monotonicMs() - this.#awayAtMs < leastMs', 'false'],
    ['clock.monotonicMs() - this.#awayAtMs', 'clock.monotonicMs() + this.#awayAtMs'],
    ['nowMs - leastMs', 'nowMs + leastMs'],
  ]),
  ...because(SWEEPER, 'only speed: of no rows nothing is put', [['rows.length === 0', 'false']]),
  ...because(SWEEPER, 'an event of no rows adds nothing to what is counted', ['count > 0']),
  ...because(COALESCED, 'no call is tried by itself then either', [['() => false', '() => undefined']]),
  ...because(COALESCED, 'only speed: all wait for each other', [
    ['({ id }) => id', '() => undefined'],
    ["'timerId'", '""'],
  ]),
  ...because(COALESCED, 'this list is not read: the outcomes say what was written', ['[]']),
  ...because(COALESCED, 'what could not be told is told once more, each call by itself', [['false', 'true']]),
  ...because('server/timer/write/keyed-writes.ts', 'where there are no timers, no outcome is read', ['[]']),
  ...because('server/timer/write/timer-writer.ts', 'what comes again has a due time by then', [
    ['timer.dueAtMs !== undefined', 'true'],
  ]),
];
