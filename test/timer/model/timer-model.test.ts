import { describe, expect, it } from 'vitest';
import { beyondClock, changedTimer, dueAtOf, jsonTextOf, newTimer } from '../../../server/timer/model/changed-timer.ts';
import { latenessMs } from '../../../server/timer/model/engine-event.ts';
import { entryOf, indexChangesOf } from '../../../server/timer/model/index-entry.ts';
import { PAUSED_UNTIL_MS, type Timer } from '../../../server/timer/model/timer.ts';
import type { TimerChange } from '../../../server/timer/model/timer-changes.ts';
import { isLocked, Locked, TimerRefused } from '../../../server/timer/model/timer-errors.ts';
import { isHandlerTx } from '../../../server/timer/model/timer-kind.ts';
import { TimerKinds } from '../../../server/timer/model/timer-kinds.ts';

const wanted = { kind: 'order', subject: 's', owner: 'ann', payload: { a: 1 }, every: { ms: 60_000 } } as const;
const begun = newTimer('7', { ...wanted, inMs: 50, misfire: { late: 'skip' } }, 1000);

it('a timer begins due when it was asked for, at its first turn, unpaused and untried', () => {
  expect(begun).toEqual({
    id: '7',
    ...{ kind: 'order', subject: 's', owner: 'ann', payload: { a: 1 } },
    dueAtMs: 1050,
    fireAtMs: 1050,
    isPaused: false,
    state: 'scheduled',
    revision: 1,
    attempt: 0,
    turn: 1,
    claims: 0,
    recurrence: { every: { ms: 60_000 } },
    misfire: { late: 'skip' },
    createdAtMs: 1000,
    updatedAtMs: 1000,
  });
  expect(newTimer('8', { ...wanted, dueAtMs: 30 }, 1000)).toMatchObject({
    dueAtMs: 30,
    fireAtMs: 30,
    isPaused: false,
    state: 'scheduled',
  });
  expect([dueAtOf({ inMs: 5 }, 100), dueAtOf({ dueAtMs: 5 }, 100)]).toEqual([105, 5]);
  expect(entryOf(begun)).toEqual({ timerId: '7', owner: 'ann', fireAtMs: 1050, revision: 1 });
});

describe('a change of a timer', () => {
  const tried: Timer = { ...begun, attempt: 3, claims: 1, claimedAtMs: 900, lastError: 'torn' };
  const paused: Timer = { ...tried, isPaused: true, fireAtMs: PAUSED_UNTIL_MS };
  const changed = (timer: Timer, change: object, nowMs = 2000) =>
    changedTimer(timer, { target: { timerId: '7' }, ...change } as TimerChange, nowMs);
  const moved = { attempt: 0, claims: 0, claimedAtMs: undefined, lastError: undefined };
  const unclaimed = { claims: 0, claimedAtMs: undefined };

  it.each([
    ['reschedule to a time', { change: 'reschedule', dueAtMs: 2500 }, { dueAtMs: 2500, fireAtMs: 2500, ...moved }],
    ['reschedule from now', { change: 'reschedule', inMs: 30 }, { dueAtMs: 2030, fireAtMs: 2030, ...moved }],
    ['shift', { change: 'shift', byMs: -70 }, { dueAtMs: 980, fireAtMs: 2000, ...moved }],
    ['fire now', { change: 'fire-now' }, { dueAtMs: 1050, fireAtMs: 2000, isPaused: false, ...moved }],
    ['pause', { change: 'pause' }, { fireAtMs: PAUSED_UNTIL_MS, isPaused: true, ...unclaimed }],
    ['resume of what is not paused', { change: 'resume' }, undefined],
    ['cancel', { change: 'cancel' }, { state: 'cancelled', isPaused: false, ...unclaimed }],
    [
      'complete',
      { change: 'complete', result: 'done' },
      { state: 'completed', isPaused: false, result: 'done', ...unclaimed },
    ],
    ['revive of what is scheduled', { change: 'revive' }, undefined],
    [
      'another payload: a new order, which runs now where a call was under way',
      { change: 'set-payload', payload: { a: 2 } },
      { payload: { a: 2 }, turn: 2, recurrence: { every: { ms: 60_000 } }, fireAtMs: 2000, ...unclaimed },
    ],
    ['the same payload', { change: 'set-payload', payload: { a: 1 } }, { fireAtMs: 2000, ...unclaimed }],
    ['no payload', { change: 'set-payload' }, { fireAtMs: 2000, ...unclaimed }],
  ])('%s', (_, change, expected) => {
    expect(changed(tried, change)).toStrictEqual(expected);
  });

  it('of the payload leaves its time where no call was under way, and does not count as one of `times`', () => {
    const counted = { ...begun, recurrence: { every: { ms: 60_000, times: 3 } } };
    expect(changed(counted, { change: 'set-payload', payload: 'b' })).toStrictEqual({
      payload: 'b',
      turn: 2,
      recurrence: { every: { ms: 60_000, times: 4 } },
      ...unclaimed,
    });
  });

  it('leads to no due time beyond the clock, at either end', () => {
    expect(dueAtOf({ inMs: PAUSED_UNTIL_MS - 1 }, 0)).toBe(PAUSED_UNTIL_MS - 1);
    const path = '`inMs` or `byMs`';
    const refused = expect.objectContaining({ name: 'OptionsRefused', faults: [expect.objectContaining({ path })] });
    for (const inMs of [PAUSED_UNTIL_MS, -PAUSED_UNTIL_MS]) expect(() => dueAtOf({ inMs }, 0)).toThrow(refused);
    const cause = new Error('22008');
    expect(beyondClock(cause)).toMatchObject({ cause, message: expect.stringMatching(/^timers /) });
  });

  it('leaves a paused timer paused when it is moved, and not when it is to fire or is resumed', () => {
    expect(changed(paused, { change: 'shift', byMs: 5 })).toMatchObject({ dueAtMs: 1055, fireAtMs: PAUSED_UNTIL_MS });
    expect(changed(paused, { change: 'fire-now' })).toMatchObject({ fireAtMs: 2000, isPaused: false });
    const once = { ...tried, recurrence: undefined };
    expect(changed(once, { change: 'fire-now' })).toMatchObject({ dueAtMs: 2000, fireAtMs: 2000 });
    expect(changed(paused, { change: 'resume' })).toStrictEqual({ fireAtMs: 2000, isPaused: false });
    expect(changed(paused, { change: 'resume' }, 1000)).toStrictEqual({ fireAtMs: 1050, isPaused: false });
  });
});

it('equal JSON has one text, whatever the order of its properties', () => {
  const text = '{"a":[{"c":2,"d":1},null],"b":1,"c":0}';
  expect(jsonTextOf({ b: 1, c: 0, a: [{ d: 1, c: 2 }, null] })).toBe(text);
  expect(jsonTextOf({ c: 0, b: 1, a: [{ c: 2, d: 1 }, null] })).toBe(text);
  expect(jsonTextOf([2, 1])).toBe('[2,1]');
  expect(jsonTextOf(undefined)).toBeUndefined();
});

it('a timer is late since it was due, or since it was moved into the past; never if it was late before', () => {
  const moved: Timer = { ...begun, dueAtMs: 10, updatedAtMs: 50 };
  expect([latenessMs(moved, 80), latenessMs(moved, 20)]).toEqual([30, 0]);
  expect(latenessMs({ ...moved, updatedAtMs: 5 }, 80)).toBe(70);
  expect(latenessMs({ ...moved, lateness: { lateMs: 1, missed: 0 } as never }, 80)).toBe(70);
});

it('the index is told to put what is scheduled, and to remove the rest', () => {
  const ended: Timer = { ...begun, id: '8', state: 'cancelled', revision: 2 };
  expect(indexChangesOf([begun, ended])).toEqual({
    put: [{ timerId: '7', owner: 'ann', fireAtMs: 1050, revision: 1 }],
    remove: [{ timerId: '8', owner: 'ann', fireAtMs: 1050, revision: 2 }],
  });
});

describe('the kinds of a process', () => {
  const own = (kind: string, more = {}) => ({ kind, fire: async () => undefined, ...more });
  const derived = (kind: string, more = {}) => ({ kind, derived: true, ...more }) as never;

  it('are known by name, fire unless they are paused, and are derived where they say so', () => {
    const kinds = new TimerKinds();
    expect([kinds.declared.map(({ kind }) => kind), kinds.firing]).toEqual([[], []]);
    const order = own('order', { misfire: { late: 'hand' } });
    kinds.register(order);
    kinds.register(derived('feeding', { misfire: undefined }));
    kinds.register(derived('village'));
    expect([kinds.declared.map(({ kind }) => kind), kinds.firing]).toEqual([
      ['order', 'feeding', 'village'],
      ['order', 'feeding', 'village'],
    ]);
    expect(['order', 'feeding', 'village'].map((kind) => kinds.isDerived(kind))).toEqual([false, true, true]);
    expect([kinds.get('order'), kinds.get('hint')]).toEqual([order, undefined]);
    kinds.setPaused(new Set(['order', 'hint']));
    expect([kinds.firing, kinds.isPaused('order'), kinds.isPaused('feeding')]).toEqual([
      ['feeding', 'village'],
      true,
      false,
    ]);
  });

  it('are known where another process registered them', () => {
    const kinds = new TimerKinds();
    kinds.register(own('order'));
    expect(['order', 'hint'].map((kind) => kinds.isKnown(kind))).toEqual([true, false]);
    kinds.setRegistered(
      new Map([
        ['hint', false],
        ['feeding', true],
        ['order', true],
      ]),
    );
    expect(['order', 'hint', 'feeding', 'other'].map((kind) => kinds.isKnown(kind))).toEqual([true, true, true, false]);
    expect(['order', 'hint', 'feeding', 'other'].map((kind) => kinds.isDerived(kind))).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it('are refused twice', () => {
    const kinds = new TimerKinds();
    kinds.register(own('order'));
    expect(() => kinds.register(own('order'))).toThrow('timer kind order is registered twice');
    expect(kinds.declared.map(({ kind }) => kind)).toEqual(['order']);
  });
});

describe('an error', () => {
  it('is a lock’s where it is one, or one caused it', () => {
    const cause = new Error('55P03');
    const locked = new Locked('the row is locked', cause);
    expect(locked).toMatchObject({
      name: 'Locked',
      code: 'timer/locked',
      retryable: true,
      cause,
      message: 'the row is locked',
    });
    const outer = new Error('in a handler', { cause: new Error('deeper', { cause: locked }) });
    expect([locked, outer, cause, 'locked', undefined].map(isLocked)).toEqual([true, true, false, false, false]);
  });

  it('of a refused call is not worth another try', () => {
    const refused = new TimerRefused('key/reused', 'send a new key');
    expect(refused).toMatchObject({
      name: 'TimerRefused',
      code: 'key/reused',
      retryable: false,
      message: 'send a new key',
    });
  });
});

it('a transaction is a handler’s where something may be done after its commit', () => {
  expect([isHandlerTx({ afterCommit: () => undefined } as never), isHandlerTx({} as never)]).toEqual([true, false]);
});
