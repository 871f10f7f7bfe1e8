import { type Home, thingsOf } from '../../shared/home.ts';
import type { ToldThing } from '../../shared/protocol.ts';
import { dueOf } from '../domain/due-of.ts';
import { ModuleFault } from '../domain/module-fault.ts';
import type { LoadedModule, Modules } from '../domain/modules.ts';
import type { Describe } from './session/things-teller.ts';

/** Things as clients see them, by these modules. */
export const describeThings =
  (modules: Modules): Describe =>
  (home, keys) =>
    keys
      ? keys.flatMap(({ module, id }) => toldThing(modules.named(module), home, id))
      : modules.all.flatMap((module) =>
          Object.keys(thingsOf(home, module.name)).flatMap((id) => toldThing(module, home, id)),
        );

const toldThing = (module: LoadedModule | undefined, home: Home, id: string): readonly ToldThing[] => {
  const things = module ? thingsOf(home, module.name) : {};
  const thing = Object.hasOwn(things, id) ? things[id] : undefined;
  if (!module || !thing) return [];
  const { name, version } = module;
  return [{ module: name, id, version, dueAt: shownDue(module, id, thing), state: thing as ToldThing['state'] }];
};

/** A home that stands still is shown all the same: the rule that failed may be this one. */
const shownDue = (module: LoadedModule, id: string, thing: object): number => {
  try {
    return dueOf(module, id, thing) ?? 0;
  } catch (error) {
    if (error instanceof ModuleFault) return 0;
    throw error;
  }
};
