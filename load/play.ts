import type { ShownHome } from '../client/follow/shown-home.ts';
import type { HomeEvent } from '../shared/event.ts';
import { randomFrom } from '../shared/random-from.ts';

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

/** Random values that are the same in every run with the same seed. */
export interface SeededChance {
  /** In [0, 1). */
  next(): number;
  /** Picks from a list with weights; undefined if it is empty. */
  pick<Item>(items: readonly { readonly weight: number; readonly item: Item }[]): Item | undefined;
}

export const chanceOf = (seed: number): SeededChance => {
  const next = randomFrom(seed);
  return {
    next,
    pick: (items) => {
      let left = next() * items.reduce((sum, { weight }) => sum + weight, 0);
      for (const { weight, item } of items) {
        left -= weight;
        if (left < 0) return item;
      }
      return items.at(-1)?.item;
    },
  };
};
