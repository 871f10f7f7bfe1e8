import type { HomeEvent } from '../../shared/event.ts';
import type { Home } from '../../shared/home.ts';
import { addItems, countable, type Items } from '../../shared/items.ts';
import { drawingOf, type Seed } from './chance.ts';
import { type DraftLog, draftLogOf } from './draft.ts';
import { fold } from './evolve.ts';
import { ruled } from './module-fault.ts';
import type { LoadedModule, Modules } from './modules.ts';
import { decidingScene } from './scene.ts';

interface Opening {
  readonly nowMs: number;
  /** Missing: no rule may draw. */
  readonly seed?: Seed | undefined;
}

/**
 * The first events of modules that have not opened this home yet, with the starter items as the first event of a log.
 * Empty for a home that all modules have opened.
 */
export const openHome = (modules: Modules, home: Home, { nowMs, seed }: Opening): readonly HomeEvent[] => {
  const missing = missingIn(modules, home);
  if (home.seq > 0 && missing.length === 0) return [];
  const draft = draftLogOf(modules, home);
  if (home.seq === 0) addFirst(missing, draft, nowMs);
  else for (const module of missing) addLater(draft, module, nowMs);
  for (const module of missing) {
    const at = { module: module.name, rule: 'open' };
    // A home opens once in a life, so the draw needs no seq: it is always the draw that was shown.
    const { chance, end } = drawingOf(seed, { ...at, playerId: home.playerId, thing: '', nextSeq: 0 });
    const scene = { ...decidingScene(module, draft.home(), nowMs), chance };
    ruled(at, () => draft.addOf(nowMs, { module, rule: 'open' }, module.rules.open?.(scene) ?? []));
    end();
  }
  return draft.events();
};

/**
 * The first events of an account before a guest is merged into it. The modules that the guest has opened count as
 * opened, without `open`: its things come with the guest. Others open at the next command. A new account gets no starter
 * items, because the guest's come.
 */
export const openAccount = (modules: Modules, account: Home, { opened }: Home, nowMs: number): readonly HomeEvent[] => {
  const draft = draftLogOf(modules, account);
  if (account.seq === 0) draft.add(nowMs, { type: 'items-granted', items: {}, reason: 'starter', opened: [...opened] });
  else
    for (const module of modules.all) {
      if (account.opened.includes(module.name) || !opened.includes(module.name)) continue;
      // Without its rules its starter items are not known here.
      if (module.isUnreadable) draft.add(nowMs, { type: 'module-opened', module: module.name });
      else addLater(draft, module, nowMs);
    }
  return draft.events();
};

/** A module that cannot be read here is opened by another process, which can. */
const missingIn = (modules: Modules, home: Home): readonly LoadedModule[] =>
  modules.all.filter(({ name, isUnreadable }) => !isUnreadable && !home.opened.includes(name));

const addFirst = (modules: readonly LoadedModule[], draft: DraftLog, nowMs: number): void => {
  const items = modules.reduce<Items>((sum, module) => addItems(sum, starterOf(module)), {});
  const opened = modules.map(({ name }) => name);
  ruled({ module: 'home', rule: 'starter' }, () =>
    draft.add(nowMs, { type: 'items-granted', items, reason: 'starter', opened }),
  );
};

/** What the stock cannot count is lost, as at the end of an activity. */
const addLater = (draft: DraftLog, module: LoadedModule, nowMs: number): void => {
  const items = countable(draft.home().items, starterOf(module));
  const given = Object.keys(items).length > 0 && { items };
  const at = { module: module.name, rule: 'starter' };
  ruled(at, () => draft.add(nowMs, { type: 'module-opened', module: module.name, ...given }));
};

const starterOf = ({ rules, config }: LoadedModule): Items => rules.starter?.(config) ?? {};

/** The home as its player sees it: with the first events that the first command will save. Its `seq` stays. */
export const shownHome = (modules: Modules, home: Home, opened: Opening): Home => {
  const opening = openHome(modules, home, opened);
  if (opening.length === 0) return home;
  return { ...fold(modules, home, opening), seq: home.seq, lastAtMs: home.lastAtMs };
};
