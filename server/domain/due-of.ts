import type { Thing } from '../../shared/home.ts';
import { ruled } from './module-fault.ts';
import type { LoadedModule } from './modules.ts';

/** When the thing is due next. */
export const dueOf = (module: LoadedModule, id: string, thing: Thing): number | undefined =>
  module.rules.dueAtMs &&
  ruled({ module: module.name, thing: id, rule: 'dueAtMs' }, () => module.rules.dueAtMs?.(thing));

/** What the thing does at the time: the subject of its timer. */
export const runOf = (module: LoadedModule, id: string, thing: Thing): string => module.rules.run?.(thing, id) ?? id;
