import type { HomeEvent } from '../../shared/event.ts';
import { countersOf, type Home, type Thing, thingsOf } from '../../shared/home.ts';
import type { ByConfig, Refusal, Refuse, Scene } from '../../shared/module/module.ts';
import type { Command, Rejection } from '../../shared/protocol.ts';
import type { Seed } from './chance.ts';
import type { ModuleFault } from './module-fault.ts';
import type { LoadedModule, Modules } from './modules.ts';

/** The events of a command and the home after them, or its refusal. `fault`: the failed rule, for the log only. */
export type Decision =
  | { readonly ok: true; readonly value: readonly HomeEvent[]; readonly home: Home }
  | { readonly ok: false; readonly error: Rejection; readonly fault?: ModuleFault };

/** The operator's name and reason, which the player's log shows. */
export interface Responsible {
  readonly by: string;
  readonly reason: string;
}

/** A thing, and one of its runs if that matters. */
export interface ThingOfModule {
  readonly module: string;
  readonly thing: string;
  readonly run?: string;
}

/** An operator's acts on a home, besides giving and taking items. No client can send them. */
export type OperatorCommand = Responsible &
  (
    | (ThingOfModule & { readonly type: 'ops:shift'; readonly byMs: number })
    | (ThingOfModule & { readonly type: 'ops:stop' })
    | { readonly type: 'ops:advance'; readonly byMs: number }
    | { readonly type: 'ops:freeze' }
    | { readonly type: 'ops:unfreeze' }
  );

/** A command and its home, settled at the same `nowMs`. */
export interface Case<Asked extends Command | OperatorCommand = Command | OperatorCommand> {
  readonly modules: Modules;
  readonly home: Home;
  readonly command: Asked;
  readonly commandId: string;
  readonly nowMs: number;
  /** Missing: no rule may draw. */
  readonly seed?: Seed | undefined;
}

/**
 * The view of a home that a module's rules get at an instant. Frozen, except for the map of things, in which a settle
 * goes on writing.
 */
export const sceneOf = (module: LoadedModule, home: Home, nowMs: number): Scene<Thing> => ({
  things: thingsOf(home, module.name),
  items: home.items,
  counters: countersOf(home, module.name),
  nowMs,
  playerId: home.playerId,
  nextSeq: home.seq + 1,
});

/** The same for rules that decide, with a frozen map of things. */
export const decidingScene = (module: LoadedModule, home: Home, nowMs: number): Scene<Thing> & ByConfig<unknown> => ({
  ...sceneOf(module, home, nowMs),
  things: Object.freeze(thingsOf(home, module.name)),
  config: module.config,
});

export const newIdOf = (module: LoadedModule, home: Home): string =>
  `${home.playerId}~${module.idPrefix}${home.seq + 1}`;

export const refuse: Refuse = (code, params = {}) => ({ code, params });

export const isRefusal = (decided: readonly object[] | Refusal): decided is Refusal => !Array.isArray(decided);
