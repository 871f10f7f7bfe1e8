import { beforeEach, describe, expect, it } from 'vitest';
import { createNewspaper } from '../../../client/page/game/newspaper.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';

let nowMs: number;
let isHidden: boolean;
let told: number[];
let seen: number;

beforeEach(() => {
  nowMs = 1_700_000_000_000;
  isHidden = false;
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
});
