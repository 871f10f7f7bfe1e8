import type { Home } from '../../../shared/home.ts';
import { diffFrom, diffTimers, FEEDING, type TimerDiff } from '../../domain/timers-of.ts';
import type { DerivedChanges } from '../../timer/model/timer-store.ts';
import type { HealedRows, HomeChange } from '../model/home-store.ts';
import { type FeedingRow, presentIn, rowDifferences } from '../model/timer-rows.ts';

/** Homes as they were loaded, with the timer rows of those that are to be compared. */
export interface ComparedHomes {
  readonly nowMs: number;
  readonly homes: ReadonlyMap<string, Home>;
  readonly rows: ReadonlyMap<string, readonly FeedingRow[]>;
}

const NOTHING_COMPARED: ComparedHomes = { nowMs: 0, homes: new Map(), rows: new Map() };

export interface TimerChanges {
  /** Undefined when nothing is to be done. */
  readonly derived: DerivedChanges | undefined;
  /** Undefined when all rows were as their homes said. */
  readonly healed: HealedRows | undefined;
}

/** What the changes of all homes ask of the timer rows, and what rows ask that are not as their homes say. */
export const timerChanges = (changes: readonly HomeChange[], compared = NOTHING_COMPARED): TimerChanges => {
  const strays = straysIn(compared);
  const changed = new Map(changes.map((change) => [change.before.playerId, change]));
  const diffs = [
    ...changes
      .filter(({ before }) => !strays.some(({ home }) => home.playerId === before.playerId))
      .map(({ before, after, events }) => diffTimers(before, after, events)),
    ...strays.map(({ home, rows }) => {
      const { after, events } = changed.get(home.playerId) ?? { after: home, events: [] };
      return withoutNamesakes(diffFrom(presentIn(rows, compared.nowMs), after, events));
    }),
  ];
  const derived = {
    schedule: diffs.flatMap((diff) => diff.schedule.map((timer) => ({ kind: FEEDING, ...timer }))),
    reschedule: diffs.flatMap((diff) => diff.reschedule.map((timer) => ({ kind: FEEDING, ...timer }))),
    complete: diffs.flatMap((diff) => diff.complete.map(({ subject }) => ({ kind: FEEDING, subject }))),
    cancel: diffs.flatMap((diff) => diff.cancel.map(({ subject }) => ({ kind: FEEDING, subject }))),
  };
  const isNeeded = Object.values(derived).some((timers) => timers.length > 0);
  return { derived: isNeeded ? derived : undefined, healed: healedOf(strays) };
};

interface Stray {
  readonly home: Home;
  readonly rows: readonly FeedingRow[];
  readonly differences: Omit<HealedRows, 'homes'>;
}

const straysIn = ({ homes, rows, nowMs }: ComparedHomes): readonly Stray[] =>
  [...rows].flatMap(([playerId, own]) => {
    const home = homes.get(playerId);
    const differences = home && rowDifferences(home, own, nowMs);
    return home && differences ? [{ home, rows: own, differences }] : [];
  });

/** A row that is missed may be there under another owner: it ends before the right one is scheduled. */
const withoutNamesakes = (diff: TimerDiff): TimerDiff => ({
  ...diff,
  cancel: [...diff.cancel, ...diff.schedule],
});

const healedOf = (strays: readonly Stray[]): HealedRows | undefined => {
  if (strays.length === 0) return undefined;
  const sum = (part: 'missing' | 'misplaced' | 'ghosts') =>
    strays.reduce((count, { differences }) => count + differences[part], 0);
  return { homes: strays.length, missing: sum('missing'), misplaced: sum('misplaced'), ghosts: sum('ghosts') };
};
