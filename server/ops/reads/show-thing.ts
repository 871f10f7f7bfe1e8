import { type Home, type Thing, thingsOf } from '../../../shared/home.ts';
import type { OpsThing } from '../../../shared/ops/ops-thing.ts';
import { dueOf, runOf, waitingOf } from '../../domain/due-of.ts';
import type { LoadedModule, Modules } from '../../domain/modules.ts';
import { workIn } from './work-in.ts';

/** All that the player has, by module and in the order of the ids: `~p2` comes before `~p10`. */
export const showThings = (modules: Modules, home: Home, nowMs: number): readonly OpsThing[] =>
  modules.all.flatMap((module) =>
    Object.entries(thingsOf(home, module.name))
      .map(([id, thing]) => showThing(module, home.playerId, { id, thing, nowMs }))
      .sort((one, other) => byId.compare(one.id, other.id)),
  );

const byId = new Intl.Collator('en', { numeric: true });

interface Shown {
  readonly id: string;
  readonly thing: Thing;
  readonly nowMs: number;
}

const showThing = (module: LoadedModule, playerId: string, { id, thing, nowMs }: Shown): OpsThing => {
  const dueAtMs = dueOf(module, id, thing);
  return {
    module: module.name,
    id,
    title: module.rules.title?.(thing, id),
    version: module.version,
    run: runOf(module, playerId, { id, thing }),
    dueAtMs,
    isOverdue: dueAtMs !== undefined && dueAtMs <= nowMs,
    waitingSinceMs: waitingOf(module, id, thing),
    work: workIn(thing, dueAtMs),
    state: { ...thing },
  };
};
