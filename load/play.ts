import type { ShownHome } from '../client/follow/shown-home.ts';
import type { HomeEvent } from '../shared/event.ts';
import type { SeededChance } from './chance.ts';

/** A command without its id. */
export interface Wish {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The behaviour of a load's players: the play of a module. */
export interface Play {
  /** The player's next command. Undefined: everything that a new player gets has been used up. */
  choose(home: ShownHome, chance: SeededChance): Wish | undefined;
  /** The due time behind an event; undefined: it had none. */
  dueAtMs(event: HomeEvent): number | undefined;
  /** How to make things come due within a run, if none did. */
  readonly hint: string;
}

/** The reason why a load cannot run. */
export class LoadRefused extends Error {
  override readonly name = 'LoadRefused';
}
