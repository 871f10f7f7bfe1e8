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

/**
 * What the thing does at the time: the subject of its timer, one among all players', since a `hall` is in many homes. `~` is
 * in no player's id. Modules whose timers are older than they are name their runs so already.
 */
export const runOf = (
  module: LoadedModule,
  playerId: string,
  { id, thing }: { readonly id: string; readonly thing: Thing },
): string => {
  const run = module.rules.run?.(thing, id) ?? id;
  return module.hasOwnSubjects ? run : `${playerId}~${run}`;
};
