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
 * What the thing does at the time: the subject of its timer. Things of two players may have the same id, and their timers
 * are of one kind: so the player stands before whatever does not begin with it.
 */
export const runOf = (
  module: LoadedModule,
  playerId: string,
  { id, thing }: { readonly id: string; readonly thing: Thing },
): string => {
  const run = module.rules.run?.(thing, id) ?? id;
  return run.startsWith(`${playerId}~`) ? run : `${playerId}~${run}`;
};
