import { isA } from '../../../shared/game-code.ts';
import type { Home } from '../../../shared/home.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import { diffFrom, diffTimers } from '../../domain/timers-of.ts';
import type { DerivedChanges } from '../../timer/model/timer-store.ts';
import type { HealedRows, HomeChange } from '../model/home-store.ts';
import { type DerivedRow, presentIn, rowDifferences } from '../model/timer-rows.ts';

/** Homes as they were loaded, with the timer rows of those that are to be compared. */
export interface ComparedHomes {
  readonly nowMs: number;
  readonly homes: ReadonlyMap<string, Home>;
  readonly rows: ReadonlyMap<string, readonly DerivedRow[]>;
}

const NOTHING_COMPARED: ComparedHomes = { nowMs: 0, homes: new Map(), rows: new Map() };

export interface TimerChanges {
  /** Undefined when nothing is to be done. */
  readonly derived: DerivedChanges | undefined;
  /** Undefined when all rows were as their homes said. */
  readonly healed: HealedRows | undefined;
}

/** What the changes of all homes ask of the timer rows, and what rows ask that are not as their homes say. */
export const timerChanges = (
  modules: Modules,
  changes: readonly HomeChange[],
  compared = NOTHING_COMPARED,
): TimerChanges => {
  const strays = straysIn(modules, compared);
  const afterOf = new Map(changes.map(({ after }) => [after.playerId, after]));
  const diffs = [
    ...changes
      .filter(({ before }) => !strays.some(({ home }) => home.playerId === before.playerId))
      .map((change) => diffTimers(modules, change)),
    ...strays.map(({ home, rows }) =>
      diffFrom(modules, presentIn(rows, compared.nowMs), afterOf.get(home.playerId) ?? home),
    ),
  ];
  const derived = { put: diffs.flatMap(({ put }) => put), end: diffs.flatMap(({ end }) => end) };
  const isNeeded = derived.put.length + derived.end.length > 0;
  return { derived: isNeeded ? derived : undefined, healed: healedOf(strays) };
};

interface Stray {
  readonly home: Home;
  readonly rows: readonly DerivedRow[];
  readonly differences: Omit<HealedRows, 'homes'>;
}

const straysIn = (modules: Modules, { homes, rows, nowMs }: ComparedHomes): readonly Stray[] =>
  [...rows].flatMap(([playerId, own]) => {
    const home = homes.get(playerId);
    try {
      const differences = home && rowDifferences(modules, home, { rows: own, nowMs });
      return home && differences ? [{ home, rows: own, differences }] : [];
    } catch (error) {
      // A home that stands still since a rule cannot say when something is due: its rows stay as they are.
      if (isA(error, ModuleFault)) return [];
      throw error;
    }
  });

const healedOf = (strays: readonly Stray[]): HealedRows | undefined => {
  if (strays.length === 0) return undefined;
  const sum = (part: 'missing' | 'misplaced' | 'ghosts') =>
    strays.reduce((count, { differences }) => count + differences[part], 0);
  return { homes: strays.length, missing: sum('missing'), misplaced: sum('misplaced'), ghosts: sum('ghosts') };
};
