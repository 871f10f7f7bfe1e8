import type { Thing } from '../../shared/home.ts';
import { ruled } from './module-fault.ts';
import type { LoadedModule } from './modules.ts';

/** When the thing is due next. */
export const dueOf = (module: LoadedModule, id: string, thing: Thing): number | undefined =>
  module.rules.dueAtMs &&
  ruled({ module: module.name, thing: id, rule: 'dueAtMs' }, () => module.rules.dueAtMs?.(thing));

/**
 * What the thing does at the time: the subject of its timer, which no other player's may have. So an id that the module
 * chose itself, like `hall`, is put behind its player's.
 */
export const runOf = (
  module: LoadedModule,
  playerId: string,
  { id, thing }: { readonly id: string; readonly thing: Thing },
): string => module.rules.run?.(thing, id) ?? (id.startsWith(`${playerId}~`) ? id : `${playerId}~${id}`);
