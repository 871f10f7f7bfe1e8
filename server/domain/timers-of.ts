import type { HomeEvent } from '../../shared/event.ts';
import { type Home, type MadeMaps, type Thing, thingsOf } from '../../shared/home.ts';
import { dueOf, runOf } from './due-of.ts';
import { evolve } from './evolve.ts';
import type { LoadedModule, Modules } from './modules.ts';

/** A row's place: a module's timers are of one kind, and their subject is what the thing does at the time. */
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

/** What has to be done to the timers. A timer that is completed and scheduled ends, and another one of its name begins. */
export interface TimerDiff {
  readonly schedule: readonly DerivedTimer[];
  readonly reschedule: readonly DerivedTimer[];
  readonly complete: readonly TimerName[];
  readonly cancel: readonly TimerName[];
}

/** The difference between two states of a home, of which `events` are what lies between them. Looks at changed things alone. */
export const diffTimers = (modules: Modules, { before, after, events }: HomeStep): TimerDiff => {
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
  return diffOf(present, wanted, completedIn(modules, { before, after, events }, present));
};

/** Two states of a home, and what lies between them. */
export interface HomeStep {
  readonly before: Home;
  readonly after: Home;
  readonly events: readonly HomeEvent[];
}

/** The same from the timers that there are. */
export const diffFrom = (modules: Modules, present: readonly PresentTimer[], step: HomeStep): TimerDiff =>
  diffOf(present, timersOf(modules, step.after), completedIn(modules, step, present));

const diffOf = (
  present: readonly PresentTimer[],
  wanted: readonly DerivedTimer[],
  completed: ReadonlySet<string>,
): TimerDiff => {
  const earlier = byName(present);
  const later = byName(wanted);
  const isOver = (timer: TimerName): boolean => completed.has(nameOf(timer)) || !later.has(nameOf(timer));
  return {
    schedule: wanted.filter((timer) => !earlier.has(nameOf(timer)) || completed.has(nameOf(timer))),
    reschedule: wanted.filter((timer) => {
      const was = earlier.get(nameOf(timer));
      return was !== undefined && !completed.has(nameOf(timer)) && was.dueAtMs !== timer.dueAtMs;
    }),
    complete: present.filter((timer) => completed.has(nameOf(timer))),
    cancel: present.filter((timer) => isOver(timer) && !completed.has(nameOf(timer))),
  };
};

/**
 * Timers among these that came due: the first event on their thing which is not before its due time is what followed.
 * Read from the log, so that nobody has to mark it.
 */
const completedIn = (
  modules: Modules,
  { before, events }: HomeStep,
  present: readonly TimerName[],
): ReadonlySet<string> => {
  const completed = new Set<string>();
  if (present.length === 0) return completed;
  const made: MadeMaps = new WeakSet();
  let home = before;
  for (const event of events) {
    const found = modules.ofEvent(event.type);
    if (found) {
      const { module } = found;
      const id = String(event[module.thingField]);
      const thing = thingsOf(home, module.name)[id];
      const [timer] = thing ? timerOf(module, home, { id, thing }) : [];
      if (timer && timer.dueAtMs <= event.at) completed.add(nameOf(timer));
    }
    home = evolve(modules, home, event, made);
  }
  return completed;
};

const timerOf = (
  module: LoadedModule,
  { playerId }: Home,
  { id, thing }: { readonly id: string; readonly thing: Thing },
): readonly DerivedTimer[] => {
  const dueAtMs = dueOf(module, id, thing);
  if (dueAtMs === undefined) return [];
  return [{ kind: module.timerKind, subject: runOf(module, playerId, { id, thing }), owner: playerId, dueAtMs }];
};

const nameOf = ({ kind, subject }: TimerName): string => `${kind} ${subject}`;

const byName = <Timer extends TimerName>(timers: readonly Timer[]): ReadonlyMap<string, Timer> =>
  new Map(timers.map((timer) => [nameOf(timer), timer]));
