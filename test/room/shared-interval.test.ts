import { expect, it } from 'vitest';
import { SharedInterval } from '../../server/room/shared-interval.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';

const SECOND_MS = 1_000;

const beatOf = () => {
  const clock = new ManualClock(0);
  const faults: unknown[] = [];
  const beat = new SharedInterval({ clock, everyMs: SECOND_MS, onFault: (error) => faults.push(error) });
  return { clock, faults, beat };
};

it('calls each once in every interval, and not all in one turn', () => {
  const { clock, beat } = beatOf();
  const calls = Array.from({ length: 25 }, () => 0);
  for (const at of calls.keys()) {
    beat.add(() => {
      calls[at] = (calls[at] ?? 0) + 1;
    });
  }

  clock.advance(SECOND_MS / 10);
  expect(calls.filter((count) => count > 0).length).toBeLessThanOrEqual(3);
  clock.advance((SECOND_MS * 9) / 10);
  expect(calls.every((count) => count === 1)).toBe(true);
  clock.advance(2 * SECOND_MS);
  expect(calls.every((count) => count === 3)).toBe(true);
});

it('calls nobody who has left, also when one leaves in the turn of another', () => {
  const { clock, beat } = beatOf();
  const called: string[] = [];
  const leave = beat.add(() => called.push('gone'));
  const leaveOnce = beat.add(() => {
    called.push('once');
    leaveOnce();
  });
  beat.add(() => called.push('stays'));
  leave();

  clock.advance(2 * SECOND_MS);
  expect(called.toSorted()).toEqual(['once', 'stays', 'stays']);
});

it('goes on after one that throws, and tells of it', () => {
  const { clock, faults, beat } = beatOf();
  const fault = new Error('broken');
  let calls = 0;
  beat.add(() => {
    throw fault;
  });
  for (let at = 0; at < 20; at += 1) beat.add(() => (calls += 1));

  clock.advance(SECOND_MS);
  expect(faults).toEqual([fault]);
  expect(calls).toBe(20);
});

it('has no timer while nobody is in it, and one again for the next', () => {
  const waiting = new Set<() => void>();
  const clock = {
    after: (_delayMs: number, callback: () => void) => {
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
  };
  const beat = new SharedInterval({ clock, everyMs: SECOND_MS, onFault: () => undefined });
  const leave = beat.add(() => undefined);
  expect(waiting.size).toBe(1);
  leave();
  expect(waiting.size).toBe(0);
  beat.add(() => undefined);
  expect(waiting.size).toBe(1);
});
