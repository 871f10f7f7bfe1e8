import { type Home, type Thing, thingsOf } from '../../shared/home.ts';
import { dueOf, subjectOf } from './due-of.ts';
import type { LoadedModule, Modules } from './modules.ts';

/** A row's place: a module's timers are of one kind, and each is of one thing. */
export interface TimerName {
  readonly kind: string;
  readonly subject: string;
}

/** A timer that should exist: `owner` is the player. */
export interface DerivedTimer extends TimerName {
  readonly owner: string;
  readonly dueAtMs: number;
}

/** The timers that a home's state asks for: one for each thing that has a due time. */
export const timersOf = (modules: Modules, home: Home): readonly DerivedTimer[] =>
  modules.all.flatMap((module) =>
    Object.entries(thingsOf(home, module.name)).flatMap(([id, thing]) => timerOf(module, home, { id, thing })),
  );

/** A timer that exists; without a due time it is to be moved, wherever it is wanted. */
export interface PresentTimer extends TimerName {
  readonly dueAtMs: number | undefined;
}

/** What has to be done to the timers: those that begin or move, and those of things that are not due any more. */
export interface TimerDiff {
  readonly put: readonly DerivedTimer[];
  readonly end: readonly TimerName[];
}

/** Two states of a home. */
export interface HomeStep {
  readonly before: Home;
  readonly after: Home;
}

/** The difference between two states of a home. Looks at changed things alone. */
export const diffTimers = (modules: Modules, { before, after }: HomeStep): TimerDiff => {
  const present: DerivedTimer[] = [];
  const wanted: DerivedTimer[] = [];
  for (const module of modules.all) {
    const earlier = thingsOf(before, module.name);
    const later = thingsOf(after, module.name);
    if (earlier === later) continue;
    for (const [id, thing] of Object.entries(earlier)) {
      if (later[id] !== thing) present.push(...timerOf(module, before, { id, thing }));
    }
    for (const [id, thing] of Object.entries(later)) {
      if (earlier[id] !== thing) wanted.push(...timerOf(module, after, { id, thing }));
    }
  }
  return diffOf(present, wanted);
};

/** The same from the timers that there are. */
export const diffFrom = (modules: Modules, present: readonly PresentTimer[], home: Home): TimerDiff =>
  diffOf(present, timersOf(modules, home));

const diffOf = (present: readonly PresentTimer[], wanted: readonly DerivedTimer[]): TimerDiff => {
  const earlier = new Map(present.map((timer) => [nameOf(timer), timer.dueAtMs]));
  const later = new Set(wanted.map(nameOf));
  return {
    put: wanted.filter((timer) => earlier.get(nameOf(timer)) !== timer.dueAtMs),
    end: present.filter((timer) => !later.has(nameOf(timer))),
  };
};

const timerOf = (
  module: LoadedModule,
  { playerId }: Home,
  { id, thing }: { readonly id: string; readonly thing: Thing },
): readonly DerivedTimer[] => {
  const dueAtMs = dueOf(module, id, thing);
  if (dueAtMs === undefined) return [];
  return [{ kind: module.timerKind, subject: subjectOf(playerId, id), owner: playerId, dueAtMs }];
};

const nameOf = ({ kind, subject }: TimerName): string => `${kind} ${subject}`;
