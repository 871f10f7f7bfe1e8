import type { HomeEvent } from '../../shared/event.ts';
import { type Home, type Thing, thingsOf } from '../../shared/home.ts';
import { addItems } from '../../shared/items.ts';
import { type DraftLog, draftLogOf } from './draft.ts';
import { ruled } from './module-fault.ts';
import type { LoadedModule, Modules } from './modules.ts';
import { newIdOf, sceneOf } from './scene.ts';

/** The events that a merge writes into both logs. */
export interface Merge {
  readonly guest: readonly HomeEvent[];
  readonly account: readonly HomeEvent[];
  /** Things that stayed with the guest: the account uses their ids, or their module is retired. */
  readonly left: readonly { readonly module: string; readonly thing: string }[];
}

/** The name of a thing before and after the merge. */
interface Moved {
  readonly module: LoadedModule;
  readonly id: string;
  readonly becomes: string;
}

/**
 * Moves all items of `guest` to `account`, and all things except those whose ids `account` uses. `resting` are things of
 * retired modules, which no rule could move. Freezes the guest's home. No due time changes. Both homes must be settled at `nowMs`.
 */
export const mergeHomes = (input: {
  readonly modules: Modules;
  readonly guest: Home;
  readonly account: Home;
  readonly resting?: Merge['left'];
  readonly commandId: string;
  readonly by: string;
  readonly reason: string;
  readonly nowMs: number;
}): Merge => {
  const { modules, guest, account, resting = [], commandId, by, reason, nowMs } = input;
  const into = draftLogOf(modules, account, commandId);
  const counters = Object.keys(guest.counters).length > 0 && { counters: guest.counters };
  into.add(nowMs, { type: 'home-received', from: guest.playerId, items: guest.items, ...counters, by, reason });
  const moved: Moved[] = [];
  const left = [...resting];
  for (const module of modules.all) {
    for (const [id, thing] of Object.entries(thingsOf(guest, module.name))) {
      const becomes = arrive(into, module, { id, thing, nowMs });
      if (becomes === undefined) left.push({ module: module.name, thing: id });
      else moved.push({ module, id, becomes });
    }
  }
  const from = draftLogOf(modules, guest, commandId);
  const items = Object.fromEntries(Object.entries(guest.items).map(([item, count]) => [item, -count]));
  const body = { into: account.playerId, items: addItems({}, items), by, reason, ...movedByModule(modules, moved) };
  from.add(nowMs, { type: 'home-merged', ...body, ...(left.length > 0 && { left }) });
  return { guest: from.events(), account: into.events(), left };
};

/** Returns the thing's new id; undefined if it stays behind. */
const arrive = (
  draft: DraftLog,
  module: LoadedModule,
  { id, thing, nowMs }: { readonly id: string; readonly thing: Thing; readonly nowMs: number },
): string | undefined => {
  const home = draft.home();
  const rule = module.rules.arrive;
  if (rule) {
    const newId = newIdOf(module, home);
    const at = { module: module.name, thing: id, rule: 'arrive' };
    const things = Object.freeze(thingsOf(home, module.name));
    const drafts = rule({ ...sceneOf(module, home, nowMs), things, id, thing, newId }) ?? [];
    return ruled(at, () => draft.addOf(nowMs, { module, rule: 'arrive' }, drafts))[0];
  }
  const becomes = id.startsWith(`${draft.home().playerId}~`) || !id.includes('~') ? id : newIdOf(module, home);
  if (thingsOf(home, module.name)[becomes]) return undefined;
  const state = thing as Record<string, unknown>;
  draft.add(nowMs, { type: 'thing-arrived', module: module.name, thing: becomes, version: module.version, state });
  return becomes;
};

/** `village: [{ thing, becomes }]`: a list for each module; the oldest module has one even if it is empty. */
const movedByModule = (modules: Modules, moved: readonly Moved[]) =>
  Object.fromEntries(
    modules.all
      .map((module) => {
        const own = moved.filter((one) => one.module === module);
        return [module, own.map(({ id, becomes }) => ({ [module.thingField]: id, becomes }))] as const;
      })
      .filter(([module, own]) => own.length > 0 || module === modules.oldest)
      .map(([{ name }, own]) => [name, own]),
  );
