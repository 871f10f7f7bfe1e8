import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createNewspaper } from '../../../client/page/game/newspaper.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';

let nowMs: number;
let isHidden: boolean;
let isOnline: boolean;
let told: number[];
let seen: number;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  nowMs = 1_700_000_000_000;
  isHidden = false;
  isOnline = true;
  told = [];
  seen = 0;
});

const open = () =>
  createNewspaper({
    levels: () => [0],
    onTell: (event) => told.push(event.seq),
    onSeen: () => {
      seen += 1;
    },
    nowMs: () => nowMs,
    isHidden: () => isHidden,
    isOnline: () => isOnline,
  });

const done = (seq: number): HomeEvent => ({
  v: 1,
  seq,
  at: nowMs,
  type: 'feeding-completed',
  petId: 'p',
  feedingId: `f${seq}`,
  xp: 10,
  totalXp: seq * 10,
});

const pass = (ms: number): void => {
  nowMs += ms;
  vi.advanceTimersByTime(ms);
};

const leave = (newspaper: ReturnType<typeof open>): void => {
  isHidden = true;
  newspaper.lookAway();
};

const comeBack = (newspaper: ReturnType<typeof open>): void => {
  isHidden = false;
  newspaper.lookAgain();
};

/** After an absence with one meal: its summary is open. */
const away = () => {
  const newspaper = open();
  leave(newspaper);
  newspaper.hear([done(1)], false);
  pass(3_600_000);
  comeBack(newspaper);
  return newspaper;
};

describe('news', () => {
  it('are told at once to somebody who looks', () => {
    open().hear([done(1)], false);
    expect(told).toEqual([1]);
    expect(seen).toBe(1);
  });

  it('wait as «while you were away» for somebody who was gone for an hour, and count as seen when that is put away', () => {
    const newspaper = open();
    isHidden = true;
    newspaper.lookAway();
    newspaper.hear([done(1)], false);
    nowMs += 3_600_000;
    newspaper.hear([done(2)], false);
    expect(seen).toBe(0);
    isHidden = false;
    newspaper.lookAgain();
    expect(told).toEqual([]);
    expect(newspaper.away.value?.pets).toMatchObject([{ meals: 2, xp: 20 }]);
    expect(seen).toBe(0);
    newspaper.put();
    expect(seen).toBe(1);
    expect(newspaper.away.value).toBeUndefined();
  });

  it('are told like others to somebody who looked away for a moment', () => {
    const newspaper = open();
    isHidden = true;
    newspaper.lookAway();
    newspaper.hear([done(1)], false);
    nowMs += 20_000;
    isHidden = false;
    newspaper.lookAgain();
    expect(told).toEqual([1]);
    expect(seen).toBe(1);
  });

  it('are of the whole absence if the connection is lost during it', () => {
    const newspaper = open();
    leave(newspaper);
    newspaper.hear([done(1)], false);
    pass(3_600_000);
    isOnline = false;
    newspaper.lookAway();
    comeBack(newspaper);
    expect(newspaper.away.value?.pets).toMatchObject([{ meals: 1 }]);
    expect(told).toEqual([]);
  });

  it('are of the whole absence if the connection turns out to be dead after the return', () => {
    const newspaper = open();
    leave(newspaper);
    pass(3_600_000);
    comeBack(newspaper);
    pass(10_000);
    isOnline = false;
    newspaper.lookAway();
    pass(2_000);
    newspaper.hear([done(1)], true);
    isOnline = true;
    newspaper.stay();
    pass(250);
    expect(newspaper.away.value?.pets).toMatchObject([{ meals: 1 }]);
  });

  it('are of a new absence after a look without news', () => {
    const newspaper = open();
    leave(newspaper);
    pass(3_600_000);
    comeBack(newspaper);
    pass(15_000);
    leave(newspaper);
    newspaper.hear([done(1)], false);
    pass(20_000);
    comeBack(newspaper);
    expect(told).toEqual([1]);
    expect(newspaper.away.value).toBeUndefined();
  });

  it('that come while the summary is open do not make it seen', () => {
    const newspaper = away();
    newspaper.hear([done(2)], false);
    expect(told).toEqual([2]);
    expect(seen).toBe(0);
    newspaper.put();
    expect(seen).toBe(1);
    newspaper.hear([done(3)], false);
    expect(seen).toBe(2);
  });

  it('of a second absence join the open summary, and those of a short one are told beside it', () => {
    const newspaper = away();
    leave(newspaper);
    newspaper.hear([done(2)], false);
    pass(3_600_000);
    comeBack(newspaper);
    expect(newspaper.away.value?.pets).toMatchObject([{ meals: 2, xp: 20 }]);
    leave(newspaper);
    newspaper.hear([done(3)], false);
    pass(20_000);
    comeBack(newspaper);
    expect(newspaper.away.value?.pets).toMatchObject([{ meals: 2 }]);
    expect(told).toEqual([3]);
    expect(seen).toBe(0);
    newspaper.put();
    leave(newspaper);
    newspaper.hear([done(4)], false);
    pass(3_600_000);
    comeBack(newspaper);
    expect(newspaper.away.value?.pets).toMatchObject([{ meals: 1 }]);
  });
});
