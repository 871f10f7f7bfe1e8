import type { HomeEvent } from '../../shared/event.ts';
import { countersOf, type Home, type Thing, thingsOf } from '../../shared/home.ts';
import type { ByConfig, Refusal, Refuse, Scene } from '../../shared/module/module.ts';
import type { Command, Rejection } from '../../shared/protocol.ts';
import type { Seed } from './chance.ts';
import type { ModuleFault } from './module-fault.ts';
import type { LoadedModule, Modules } from './modules.ts';

/** What came of a command: its events, and the home after them. `fault` says whose rule failed where the code is `module/fault`: for the log, no client's business. */
export type Decision =
  | { readonly ok: true; readonly value: readonly HomeEvent[]; readonly home: Home }
  | { readonly ok: false; readonly error: Rejection; readonly fault?: ModuleFault };

/** Who does it, and why: both stand in the player's log. */
export interface Responsible {
  readonly by: string;
  readonly reason: string;
}

/** Which thing is meant, and which run of it, if that matters. */
export interface ThingOfModule {
  readonly module: string;
  readonly thing: string;
  readonly run?: string;
}

/** What an operator may do to a home, besides giving and taking items. Never on a client's wire. */
export type OperatorCommand = Responsible &
  (
    | (ThingOfModule & { readonly type: 'ops:shift'; readonly byMs: number })
    | (ThingOfModule & { readonly type: 'ops:stop' })
    | { readonly type: 'ops:advance'; readonly byMs: number }
    | { readonly type: 'ops:freeze' }
    | { readonly type: 'ops:unfreeze' }
  );

/** A command, and the home that it meets: settled at the same `nowMs`. */
export interface Case<Asked extends Command | OperatorCommand = Command | OperatorCommand> {
  readonly modules: Modules;
  readonly home: Home;
  readonly command: Asked;
  readonly commandId: string;
  readonly nowMs: number;
  /** Missing: no rule may draw. */
  readonly seed?: Seed | undefined;
}

/** What a module's rules see of a home at an instant. */
export const sceneOf = (module: LoadedModule, home: Home, nowMs: number): Scene<Thing> => ({
  things: thingsOf(home, module.name),
  items: home.items,
  counters: countersOf(home, module.name),
  nowMs,
  playerId: home.playerId,
  nextSeq: home.seq + 1,
});

/** The same, for rules that decide. */
export const decidingScene = (module: LoadedModule, home: Home, nowMs: number): Scene<Thing> & ByConfig<unknown> => ({
  ...sceneOf(module, home, nowMs),
  config: module.config,
});

export const newIdOf = (module: LoadedModule, home: Home): string =>
  `${home.playerId}~${module.idPrefix}${home.seq + 1}`;

export const refuse: Refuse = (code, params = {}) => ({ code, params });

export const isRefusal = (decided: readonly object[] | Refusal): decided is Refusal => !Array.isArray(decided);
