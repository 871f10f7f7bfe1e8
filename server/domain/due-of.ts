import type { Thing } from '../../shared/home.ts';
import { ruled } from './module-fault.ts';
import type { LoadedModule } from './modules.ts';

/** When the thing is due next. */
export const dueOf = (module: LoadedModule, id: string, thing: Thing): number | undefined =>
  module.rules.dueAtMs &&
  ruled({ module: module.name, thing: id, rule: 'dueAtMs' }, () => module.rules.dueAtMs?.(thing));

/** Since when the thing waits for something else. */
export const waitingOf = (module: LoadedModule, id: string, thing: Thing): number | undefined =>
  module.rules.waitingSinceMs &&
  ruled({ module: module.name, thing: id, rule: 'waitingSinceMs' }, () => module.rules.waitingSinceMs?.(thing));

/** Of its timer: one among all players', since a `hall` is in many homes. `~` is in no player's id. */
export const subjectOf = (playerId: string, id: string): string => `${playerId}~${id}`;

/** The thing whose timer has this subject, if it can be one of the player's. */
export const thingOfSubject = (playerId: string, subject: string): string | undefined =>
  subject.startsWith(subjectOf(playerId, '')) ? subject.slice(playerId.length + 1) : undefined;

/**
 * What the thing does at the time, as operators name it: one among all players'. Modules that are older than others name
 * their runs so already.
 */
export const runOf = (
  module: LoadedModule,
  playerId: string,
  { id, thing }: { readonly id: string; readonly thing: Thing },
): string => {
  const run = module.rules.run?.(thing, id) ?? id;
  return module.hasOwnRuns ? run : `${playerId}~${run}`;
};
