import { describe, expect, it } from 'vitest';
import { OwnTurns } from '../../../../server/timer/fire/own-turns.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import { OptionsRefused } from '../../../../shared/options/options-refused.ts';
import { firingScene } from '../../../support/engine/firing-scene.ts';

const NOW_MS = 1_790_000_000_000;
const { timer: plain } = await firingScene();
const timer: Timer = {
  ...plain,
  payload: 'first',
  attempt: 2,
  claims: 3,
  claimedAtMs: 5,
  lastError: 'none',
  lateness: 7 as never,
};
const every: Timer = { ...timer, id: 'every', subject: 'e', recurrence: { every: { ms: 1000 } } };
const wanted = { kind: 'order', subject: 's', owner: 'ann' } as const;
/** As its row will be. */
const next = (of: Timer, dueAtMs: number, payload: unknown = of.payload) => ({
  ...of,
  ...{ dueAtMs, fireAtMs: dueAtMs, payload, isPaused: false, updatedAtMs: NOW_MS },
  ...{ turn: of.turn + 1, revision: of.revision + 1, attempt: 0, claims: 0 },
  ...{ claimedAtMs: undefined, lateness: undefined, lastError: undefined, result: undefined },
});
const coming = (of: Timer, dueAtMs: number, payload?: unknown) => ({
  ...{ timerId: of.id, revision: of.revision, fireAtMs: dueAtMs, attempt: 0, state: 'scheduled' },
  again: { dueAtMs, turn: of.turn + 1, payload },
});
const over = (of: Timer, result?: unknown) => ({
  ...{ timerId: of.id, revision: of.revision, fireAtMs: of.fireAtMs, attempt: of.attempt },
  ...{ state: 'completed', result },
});

describe('timers that fire', () => {
  it('are known by id and by kind and subject, and no others', () => {
    const turns = new OwnTurns([timer, every], NOW_MS);
    expect(turns.ids).toEqual([timer.id, 'every']);
    expect(turns.of({ timerId: timer.id })).toBe(timer);
    expect(turns.of({ kind: 'order', subject: 'e' })).toBe(every);
    expect(turns.of({ timerId: 'other' })).toBeUndefined();
    expect(turns.of({ kind: 'order', subject: 'other' })).toBeUndefined();
    expect(turns.of({ kind: 'other', subject: 's' })).toBeUndefined();
  });

  it('are over with their results, and come again by their recurrence', () => {
    const turns = new OwnTurns([timer, every], NOW_MS);
    expect(turns.again).toEqual([next(every, every.dueAtMs + 1000)]);
    const results = new Map([[timer.id, 'eaten']]);
    expect(turns.updates(results)).toEqual([over(timer, 'eaten'), coming(every, every.dueAtMs + 1000)]);
    expect(turns.updates(undefined)[0]).toEqual(over(timer));
  });
});

describe('a timer that its handler schedules again', () => {
  it('comes again once, at the time that is asked for, with its payload or another one', () => {
    const turns = new OwnTurns([timer], NOW_MS);
    const outcome = turns.schedule(timer, { ...wanted, dueAtMs: NOW_MS + 5 });
    expect(outcome).toEqual({ outcome: 'applied', timer: next(timer, NOW_MS + 5) });
    expect(turns.schedule(timer, { ...wanted, dueAtMs: NOW_MS + 9 })).toMatchObject({
      outcome: 'duplicate',
      timer: { dueAtMs: NOW_MS + 5 },
    });
    expect(turns.updates(undefined)).toEqual([coming(timer, NOW_MS + 5)]);
    const other = new OwnTurns([timer], NOW_MS);
    other.schedule(timer, { ...wanted, dueAtMs: NOW_MS + 5, payload: 'second' });
    expect(other.again).toEqual([next(timer, NOW_MS + 5, 'second')]);
    expect(other.updates(undefined)).toEqual([coming(timer, NOW_MS + 5, 'second')]);
  });

  it('is moved by a second word that says so, of the same owner', () => {
    const turns = new OwnTurns([timer], NOW_MS);
    turns.schedule(timer, { ...wanted, dueAtMs: NOW_MS + 5, payload: 'second' });
    const moved = turns.schedule(timer, { ...wanted, dueAtMs: NOW_MS + 9, orMove: true });
    expect(moved).toMatchObject({ outcome: 'moved', timer: { dueAtMs: NOW_MS + 9, payload: 'second' } });
    turns.schedule(timer, { ...wanted, dueAtMs: NOW_MS + 7, orMove: true, payload: 'third' });
    expect(turns.again).toMatchObject([{ dueAtMs: NOW_MS + 7, payload: 'third' }]);
    const strange = { ...wanted, owner: 'bob', dueAtMs: NOW_MS + 1, orMove: true };
    expect(turns.schedule(timer, strange)).toMatchObject({ outcome: 'duplicate', timer: { dueAtMs: NOW_MS + 7 } });
    expect(turns.updates(undefined)).toMatchObject([{ again: { dueAtMs: NOW_MS + 7, payload: 'third' } }]);
  });

  it('takes nothing more once its updates are read', () => {
    const turns = new OwnTurns([every], NOW_MS);
    turns.updates(undefined);
    const again = { ...wanted, subject: 'e', dueAtMs: NOW_MS + 5 };
    expect(() => turns.schedule(every, again)).toThrow('the handler has returned');
    expect(() => turns.changeMany({ change: 'cancel' })).toThrow('the handler has returned');
    expect(turns.changeMany({ change: 'cancel', owners: ['bob'] })).toEqual([]);
  });

  it('keeps its owner, its recurrence and its policy', () => {
    const turns = new OwnTurns([timer], NOW_MS);
    const again = { ...wanted, dueAtMs: NOW_MS + 5 };
    expect(() => turns.schedule(timer, { ...again, owner: 'bob' })).toThrow('keeps its owner');
    for (const times of [undefined, 1]) {
      expect(() => turns.schedule(timer, { ...again, every: { ms: 5, times } })).toThrow(
        'leave out every, cron, misfire',
      );
    }
    expect(() => turns.schedule(timer, { ...again, misfire: 'skip' as never })).toThrow(OptionsRefused);
    expect(turns.schedule(timer, { ...again, misfire: timer.misfire }).outcome).toBe('applied');
  });
});

describe('a timer that comes by its recurrence, which its handler changes and then schedules', () => {
  const target = { timerId: 'every' };
  const asked = { ...wanted, subject: 'e', dueAtMs: NOW_MS + 5 };

  it('has the payload that it was given, unless another one is', () => {
    const turns = new OwnTurns([every], NOW_MS);
    turns.change(every, { target, change: 'set-payload', payload: 'second' });
    expect(turns.schedule(every, asked)).toMatchObject({ outcome: 'applied', timer: { payload: 'second' } });
    expect(turns.updates(undefined)).toMatchObject([{ again: { dueAtMs: NOW_MS + 5, payload: 'second' } }]);
    const other = new OwnTurns([every], NOW_MS);
    other.change(every, { target, change: 'set-payload', payload: 'second' });
    expect(other.schedule(every, { ...asked, payload: 'third' })).toMatchObject({ timer: { payload: 'third' } });
  });

  it('stays paused', () => {
    const turns = new OwnTurns([every], NOW_MS);
    turns.change(every, { target, change: 'pause' });
    const paused = { isPaused: true, dueAtMs: NOW_MS + 5 };
    expect(turns.schedule(every, asked)).toMatchObject({ outcome: 'applied', timer: paused });
    expect(turns.again).toMatchObject([paused]);
  });
});

it('a call that is refused has changed none of its timers', () => {
  const turns = new OwnTurns([timer, every], NOW_MS);
  const calls = () => [
    turns.schedule(timer, { ...wanted, dueAtMs: NOW_MS + 5 }),
    turns.change(every, { target: { timerId: 'every' }, change: 'complete', result: 'done' }),
    turns.schedule(timer, { ...wanted, owner: 'bob', orMove: true, dueAtMs: 2 ** 50 }),
    turns.change(every, { target: { timerId: 'every' }, change: 'shift', byMs: 2 ** 50 }),
    turns.schedule(every, { ...wanted, owner: 'bob', dueAtMs: NOW_MS }),
  ];
  expect(() => turns.whole(calls)).toThrow(OptionsRefused);
  expect(turns.updates(undefined)).toEqual([over(timer), coming(every, every.dueAtMs + 1000)]);
});

describe('a timer that its handler changes', () => {
  it('has fired already, unless it comes again', () => {
    const turns = new OwnTurns([timer], NOW_MS);
    expect(turns.change(timer, { target: { timerId: timer.id }, change: 'cancel' })).toEqual({
      outcome: 'already-fired',
    });
    expect(turns.updates(undefined)).toEqual([over(timer)]);
  });

  it.each([
    ['cancel', undefined],
    ['complete', 'done'],
  ] as const)('comes no more after %s', (change, result) => {
    const turns = new OwnTurns([every], NOW_MS);
    const completed = { ...every, state: 'completed', result, revision: every.revision + 1, updatedAtMs: NOW_MS };
    expect(turns.change(every, { target: { timerId: 'every' }, change, result } as never)).toEqual({
      outcome: 'applied',
      timer: completed,
    });
    expect(turns.again).toEqual([]);
    expect(turns.updates(undefined)).toEqual([over(every, result)]);
    expect(turns.updates(new Map([['every', 'eaten']]))).toEqual([over(every, 'eaten')]);
  });

  it('comes again at another time', () => {
    const turns = new OwnTurns([every], NOW_MS);
    const change = { target: { timerId: 'every' }, change: 'reschedule', dueAtMs: NOW_MS + 7 } as const;
    expect(turns.change(every, change)).toMatchObject({
      outcome: 'applied',
      timer: { id: 'every', dueAtMs: NOW_MS + 7 },
    });
    expect(turns.again).toMatchObject([{ dueAtMs: NOW_MS + 7, turn: every.turn + 1 }]);
    expect(turns.updates(undefined)).toMatchObject([{ fireAtMs: NOW_MS + 7, again: { dueAtMs: NOW_MS + 7 } }]);
  });
});

describe('timers that are changed by their owners', () => {
  const bobs: Timer = { ...every, id: 'bobs', subject: 'b', owner: 'bob' };
  const brew: Timer = { ...every, id: 'brew', subject: 'w', kind: 'brew' };

  it('are those that come again, of these owners and kinds', () => {
    const changed = (more: object) => {
      const turns = new OwnTurns([timer, every, bobs, brew], NOW_MS);
      const told = turns.changeMany({ owners: ['ann'], change: 'cancel', ...more } as never).map(({ id }) => id);
      return { told, left: turns.again.map(({ id }) => id) };
    };
    expect(changed({})).toEqual({ told: ['every', 'brew'], left: ['bobs'] });
    expect(changed({ kinds: ['brew'] })).toEqual({ told: ['brew'], left: ['every', 'bobs'] });
    expect(changed({ owners: ['ann', 'bob'] })).toEqual({ told: ['every', 'bobs', 'brew'], left: [] });
  });
});
