import type { ShownHome } from '../client/follow/shown-home.ts';
import type { HomeEvent } from '../shared/event.ts';
import type { Chance } from './chance.ts';

/** A command without its id. */
export interface Wish {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What players of a load do: the play of a module. */
export interface Play {
  /** What the player wants next. Undefined: everything that a new player is given has been used up. */
  choose(home: ShownHome, chance: Chance): Wish | undefined;
  /** Since when what the event tells was due; undefined: it tells of nothing that was. */
  dueAtMs(event: HomeEvent): number | undefined;
  /** What makes things come due within a run, for players who saw none. */
  readonly hint: string;
}

/** Why a load cannot run. */
export class LoadRefused extends Error {
  override readonly name = 'LoadRefused';
}
