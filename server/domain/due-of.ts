import type { Thing } from '../../shared/home.ts';
import { ruled } from './module-fault.ts';
import type { LoadedModule } from './modules.ts';

/** When the thing is due next. */
export const dueOf = (module: LoadedModule, id: string, thing: Thing): number | undefined =>
  module.rules.dueAtMs &&
  ruled({ module: module.name, thing: id, rule: 'dueAtMs' }, () => module.rules.dueAtMs?.(thing));

/**
 * Subject of the thing's timer, one among all players': a `hall` is in many homes. `/` is in no player's id. Modules whose
 * timers are older than they are name their runs so already.
 */
export const subjectOf = (module: LoadedModule, playerId: string, id: string, thing: Thing): string => {
  const run = runOf(module, id, thing);
  return module.hasOwnSubjects ? run : `${playerId}/${run}`;
};

/** What the thing does at the time. */
export const runOf = (module: LoadedModule, id: string, thing: Thing): string => module.rules.run?.(thing, id) ?? id;
