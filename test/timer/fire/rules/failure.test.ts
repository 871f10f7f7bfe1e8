import { describe, expect, it } from 'vitest';
import { failHomes, ownFailure, ownRetryDelaysMs } from '../../../../server/timer/fire/failure.ts';
import { NotRetryable } from '../../../../server/timer/fire/not-retryable.ts';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import type { HomeHold } from '../../../../server/timer/model/timer-store.ts';
import { firingScene } from '../../../support/engine/firing-scene.ts';

const fault = new Error('no stock');

describe('the waits between attempts', () => {
  it('are fifteen for a kind of a game’s own, from 15 s to 6 h', () => {
    const seconds = ownRetryDelaysMs.map((ms) => ms / 1000);
    expect(seconds.slice(0, 6)).toEqual([15, 15, 30, 180, 600, 1200]);
    expect(seconds.slice(6)).toEqual([1800, 1800, 1800, 3600, 10_800, 10_800, 10_800, 21_600, 21_600]);
  });
});

describe('a failed attempt of an own kind', () => {
  it('comes again after the wait of its number, as its table says', async () => {
    const { tools, timer, nowMs } = await firingScene();
    const again = { timerId: timer.id, revision: timer.revision, state: 'scheduled', lastError: 'Error: no stock' };
    expect(ownFailure(tools, timer, fault)).toEqual({ ...again, fireAtMs: nowMs + 15_000, attempt: 1 });
    const third = { ...timer, attempt: 2 };
    expect(ownFailure(tools, third, fault)).toEqual({ ...again, fireAtMs: nowMs + 30_000, attempt: 3 });
    expect(ownFailure(tools, third, fault, [1, 2, 7])).toEqual({ ...again, fireAtMs: nowMs + 7, attempt: 3 });
  });

  it('is the last where the table ends, or where trying again is of no use: its times stay', async () => {
    const { tools, timer } = await firingScene();
    const last = { ...timer, attempt: 15 };
    expect(ownFailure(tools, last, fault)).toMatchObject({ state: 'dead', fireAtMs: timer.fireAtMs, attempt: 16 });
    const useless = new NotRetryable('closed', fault);
    expect(ownFailure(tools, timer, useless)).toMatchObject({
      state: 'dead',
      fireAtMs: timer.fireAtMs,
      lastError: 'NotRetryable: closed (timer/not-retryable); by Error: no stock',
    });
    expect(useless).toMatchObject({ code: 'timer/not-retryable', retryable: false, cause: fault });
  });

  it('notes any error as a text that a column takes', async () => {
    const { tools, timer } = await firingScene();
    const noted = (error: unknown): string | undefined => ownFailure(tools, timer, error).lastError;
    expect(noted('text\0 with\0 NUL')).toBe('text with NUL');
    expect(noted(undefined)).toBe('undefined');
    expect(noted('x'.repeat(5000))).toBe('x'.repeat(2000));
  });

  it('never counts beyond what its column holds', async () => {
    const { tools, timer } = await firingScene();
    expect(ownFailure(tools, { ...timer, attempt: 32_767 }, fault).attempt).toBe(32_767);
    expect(ownFailure(tools, { ...timer, attempt: 32_765 }, fault).attempt).toBe(32_766);
  });
});

describe('a home that cannot be settled', () => {
  it('is told as stuck, timer by timer, and held for ever: for a minute each time', async () => {
    const holds: (readonly HomeHold[])[] = [];
    const faultyStore = { hold: async (some: readonly HomeHold[]) => void holds.push(some) };
    const { tools, timer, events, nowMs } = await firingScene({ faultyStore });
    const timers = [
      { ...timer, attempt: 99 },
      { ...timer, id: '78', attempt: 0 },
    ];
    const bob = { ...timer, id: '80', owner: 'bob' };
    const other = new Error('no food');
    const entries = await failHomes(tools, [
      { timers, error: fault },
      { timers: [bob], error: other },
    ]);
    expect(events).toEqual([
      ...timers.map((one) => ({ type: 'stuck', timer: one, error: fault })),
      { type: 'stuck', timer: bob, error: other },
    ]);
    expect(holds).toEqual([
      [
        { owner: 'ann', untilMs: nowMs + 60_000, attempt: 100, lastError: 'Error: no stock' },
        { owner: 'bob', untilMs: nowMs + 1000, attempt: 1, lastError: 'Error: no food' },
      ],
    ]);
    expect(entries).toEqual([
      ...timers.map((one) => ({ ...entryOf(one), fireAtMs: nowMs + 60_000 })),
      { ...entryOf(bob), fireAtMs: nowMs + 1000 },
    ]);
  });

  it('counts no further than for years', async () => {
    const holds: (readonly HomeHold[])[] = [];
    const faultyStore = { hold: async (some: readonly HomeHold[]) => void holds.push(some) };
    const { tools, timer } = await firingScene({ faultyStore });
    await failHomes(tools, [{ timers: [{ ...timer, attempt: 32_767 }], error: fault }]);
    expect(holds.flat()).toMatchObject([{ attempt: 32_767 }]);
  });

  it('asks nothing of the store where there is none', async () => {
    const faultyStore = { hold: () => Promise.reject(new Error('asked')) };
    const { tools, events } = await firingScene({ faultyStore });
    expect(await failHomes(tools, [])).toEqual([]);
    expect(events).toEqual([]);
  });
});
