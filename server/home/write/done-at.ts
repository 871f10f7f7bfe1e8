import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, thingsOf } from '../../../shared/home.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { dueOf, waitingOf } from '../../domain/due-of.ts';
import { evolve, ownEvent } from '../../domain/evolve.ts';
import type { LoadedModule, Modules } from '../../domain/modules.ts';
import { settleSome } from '../../domain/settle.ts';

/** Events that are looked ahead at most, so many at once: a few ten milliseconds for a home of fifty things. */
const MOST_AHEAD = 500;
const AT_ONCE = 50;

/**
 * When the things that a command is about will have nothing more to do, if nobody does anything: settled ahead from the
 * home `after` its `events`, which is at rest. Undefined when the module doesn't say which things, when they wait for what
 * does not come by itself, or where it is too far ahead.
 */
export const doneAtOf = (modules: Modules, after: Home, events: readonly HomeEvent[]): number | undefined => {
  const module = events[0] && modules.ofEvent(events[0].type)?.module;
  const wanted = module && wantedOf(modules, module, events);
  if (!wanted || wanted.length === 0) return undefined;
  const isDone = (): boolean => wanted.every((id) => isResting(module, home, id));
  let home = after;
  if (isDone()) return home.lastAtMs;
  for (let count = 0; count < MOST_AHEAD; ) {
    const { events: next } = settleSome(modules, home, { nowMs: LATEST_MS, maxEvents: AT_ONCE });
    if (next.length === 0) return undefined;
    for (const event of next) {
      home = evolve(modules, home, event);
      if (isDone()) return event.at;
    }
    count += next.length;
  }
  return undefined;
};

const wantedOf = (
  modules: Modules,
  module: LoadedModule,
  events: readonly HomeEvent[],
): readonly string[] | undefined => {
  const own = events.flatMap((event) => {
    const found = modules.ofEvent(event.type);
    return found?.module === module ? [ownEvent(found, event)] : [];
  });
  return module.rules.doneOf?.(own);
};

const isResting = (module: LoadedModule, home: Home, id: string): boolean => {
  const thing = thingsOf(home, module.name)[id];
  return !thing || (dueOf(module, id, thing) === undefined && waitingOf(module, id, thing) === undefined);
};
