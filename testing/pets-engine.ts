// The engine with only the pets, for most tests of rules: no modules in the calls, and typed events.

import * as judging from '../server/domain/decide.ts';
import * as replying from '../server/domain/decide.ts';
import { subjectOf, thingDueAt } from '../server/domain/due-of.ts';
import * as evolving from '../server/domain/evolve.ts';
import { mergeHomes as merge } from '../server/domain/merge.ts';
import { type LoadedModule, Modules } from '../server/domain/modules.ts';
import * as opening from '../server/domain/open-home.ts';
import * as reading from '../server/domain/read-command.ts';
import type { OperatorCommand } from '../server/domain/scene.ts';
import * as settling from '../server/domain/settle.ts';
import type { HomeEvent } from '../shared/event.ts';
import { type Home, type Thing, thingsOf } from '../shared/home.ts';
import { type Catalogue, defaultCatalogue } from '../shared/pets/catalogue.ts';
import type { PetsEvent } from '../shared/pets/events.ts';
import { petsOfRules } from '../shared/pets/pets.ts';
import type { Command, Reply } from '../shared/pets/protocol.ts';
import type { Rejection } from '../shared/protocol.ts';
import type { Result } from '../shared/result.ts';

/** The kind of feedings' timers. */
export const FEEDING = 'feeding';

const known = new WeakMap<Catalogue, Modules>();

/** The pets with these rules, as the only module. */
export const petsModules = (catalogue: Catalogue = defaultCatalogue): Modules => {
  const modules = known.get(catalogue) ?? new Modules([petsOfRules(catalogue)]);
  known.set(catalogue, modules);
  return modules;
};

type Events = readonly PetsEvent[];
/** Only the pets' own rules wrote these events. */
const typed = (events: readonly object[]): Events => events as Events;
const loose = (events: Iterable<PetsEvent | HomeEvent>) => events as Iterable<never>;

export const evolve = (home: Home, event: PetsEvent | HomeEvent): Home =>
  evolving.evolve(petsModules(), home, event as never);
export const fold = (home: Home, events: Iterable<PetsEvent | HomeEvent>): Home =>
  evolving.fold(petsModules(), home, loose(events));
export const settle = (home: Home, nowMs: number): Events => typed(settling.settle(petsModules(), home, nowMs));
export const settleSome = (
  home: Home,
  nowMs: number,
  maxEvents: number,
): { readonly events: Events; readonly isSettled: boolean } => {
  const { events, isSettled } = settling.settleSome(petsModules(), home, { nowMs, maxEvents });
  return { events: typed(events), isSettled };
};
export const openHome = (home: Home, catalogue: Catalogue, nowMs: number): Events =>
  typed(opening.openHome(petsModules(catalogue), home, { nowMs }));
/** The log of a player with pets and no other things. */
export const petsLog = (events: readonly HomeEvent[]): Events => typed(events);

export const timersOf = (home: Home): readonly DerivedTimer[] => homeTimers(petsModules(), home);
export const diffTimers = (before: Home, after: Home): TimerDiff => homeTimersDiff(petsModules(), { before, after });
export const replyOf = (events: Events): Reply => replying.replyOf(petsModules(), events as never) as never;
export const parseCommand = (type: string, payload: unknown) => reading.readCommand(petsModules(), type, payload);
export const parseQuoted = (message: unknown) => reading.readQuoted(petsModules(), message);

export type Decision = Result<readonly PetsEvent[], Rejection>;

export interface Judgement {
  readonly home: Home;
  /** Events that settling brought before the command. They are saved even if the command is refused. */
  readonly settled: readonly PetsEvent[];
  /** The command's own events and their immediate consequences. */
  readonly decision: Decision;
}

export const judge = ({
  catalogue,
  ...asked
}: {
  readonly catalogue: Catalogue;
  readonly home: Home;
  readonly command: Command | OperatorCommand;
  readonly commandId: string;
  readonly nowMs: number;
}): Judgement => {
  const judged = judging.judge({ ...asked, modules: petsModules(catalogue) });
  // A server refuses the command and goes on; a test of rules must see the fault.
  if (!judged.decision.ok && judged.decision.fault) throw judged.decision.fault;
  return judged as never;
};

export const mergeHomes = (asked: Omit<Parameters<typeof merge>[0], 'modules'>) => {
  const { guest, account } = merge({ ...asked, modules: petsModules() });
  return { guest: typed(guest), account: typed(account) };
};

/** A timer's key: a module's timers have one kind, and each belongs to one thing. */
export interface TimerName {
  readonly kind: string;
  readonly subject: string;
}

/** A timer that should exist: `owner` is the player. */
export interface DerivedTimer extends TimerName {
  readonly owner: string;
  readonly dueAtMs: number;
}

/** The timers of a home's state: one for each thing with a due time. */
export const homeTimers = (modules: Modules, home: Home): readonly DerivedTimer[] =>
  modules.all.flatMap((module) =>
    Object.entries(thingsOf(home, module.name)).flatMap(([id, thing]) => timerOf(module, home, { id, thing })),
  );

/** The changes of timers: new and moved ones, and those of things without a due time. */
export interface TimerDiff {
  readonly put: readonly DerivedTimer[];
  readonly end: readonly TimerName[];
}

/** Two states of a home. */
export interface HomeStep {
  readonly before: Home;
  readonly after: Home;
}

/** The difference between two states of a home. Reads only changed things. */
export const homeTimersDiff = (modules: Modules, { before, after }: HomeStep): TimerDiff => {
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

const diffOf = (present: readonly DerivedTimer[], wanted: readonly DerivedTimer[]): TimerDiff => {
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
  const dueAtMs = thingDueAt(module, id, thing);
  if (dueAtMs === undefined) return [];
  return [{ kind: module.timerKind, subject: subjectOf(playerId, id), owner: playerId, dueAtMs }];
};

const nameOf = ({ kind, subject }: TimerName): string => `${kind} ${subject}`;
