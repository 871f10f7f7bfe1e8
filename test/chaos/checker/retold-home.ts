import type { Counts } from '../evidence/evidence.ts';

/** A home as the checker makes it up from the log. Changed in place: it is told event by event. */
export interface RetoldHome {
  readonly pets: Map<string, RetoldPet>;
  readonly stock: Map<string, number>;
  readonly beds: Map<string, RetoldBed>;
  /** All feedings that there ever were. */
  readonly bowls: Map<string, RetoldBowl>;
}

export interface RetoldPet {
  readonly petId: string;
  readonly name: string;
  readonly species: string;
  xp: number;
  bowl: RetoldBowl | undefined;
  last: RetoldBowl | undefined;
  boost: Speed | undefined;
  /** Repeat cards that lie on the pet, each for one feeding. */
  armed: number;
  blockedAtMs: number | undefined;
}

/** Sown and waiting, growing, or empty. */
export interface RetoldBed {
  readonly bed: string;
  harvests: number;
  /** Of what is sown and waits. */
  growMs: number | undefined;
  sownAtMs: number | undefined;
  ripeAtMs: number | undefined;
}

export interface RetoldBowl {
  readonly feedingId: string;
  readonly petId: string;
  readonly food: string;
  readonly workMs: number;
  readonly xp: number;
  readonly by: 'hand' | 'card';
  readonly startedAtMs: number;
  state: 'running' | 'completed' | 'stopped';
  leftMs: number;
  sinceAtMs: number;
  dueAtMs: number;
  hasCards: boolean;
  endedAtMs: number | undefined;
}

const CALM: Speed = { rate: 1, untilMs: 0 };

export const emptyHome = (): RetoldHome => ({
  pets: new Map(),
  beds: new Map(),
  stock: new Map(),
  bowls: new Map(),
});

export const countIn = (home: RetoldHome, item: string): number => home.stock.get(item) ?? 0;

export const speedOf = (pet: RetoldPet): Speed => pet.boost ?? CALM;

/** Says again, as of `atMs`, how much is left, after which something may change. */
export const restate = (pet: RetoldPet, bowl: RetoldBowl, atMs: number): void => {
  bowl.leftMs = leftAfter(bowl.leftMs, bowl.sinceAtMs, atMs, speedOf(pet));
  bowl.sinceAtMs = atMs;
};

export const findDue = (pet: RetoldPet, bowl: RetoldBowl): void => {
  bowl.dueAtMs = emptyAt(bowl.leftMs, bowl.sinceAtMs, speedOf(pet));
};

export const isSame = (counts: Counts | undefined, expected: Counts): boolean => {
  const names = new Set([...Object.keys(counts ?? {}), ...Object.keys(expected)]);
  return [...names].every((name) => (counts?.[name] ?? 0) === (expected[name] ?? 0));
};

/** Eats at `rate` before `untilMs` and at 1 from then on. */
export interface Speed {
  readonly rate: number;
  readonly untilMs: number;
}

/** What is left of `leftMs` of work between two instants: millisecond by millisecond, with no formula to be wrong. */
export const leftAfter = (leftMs: number, fromMs: number, toMs: number, speed: Speed): number => {
  let left = leftMs;
  for (let now = fromMs; now < toMs && left > 0; now += 1) left -= now < speed.untilMs ? speed.rate : 1;
  return Math.max(0, left);
};

/** The first whole millisecond at which nothing is left. */
export const emptyAt = (leftMs: number, fromMs: number, speed: Speed): number => {
  let now = fromMs;
  for (let left = leftMs; left > 0; now += 1) left -= now < speed.untilMs ? speed.rate : 1;
  return now;
};
