import type { PlayerEvent } from './consumer.ts';

/** A place in the log of all players; larger ones are later, in the order `tx`, `playerId`, `seq`. */
export interface LogPlace {
  readonly tx: number;
  readonly playerId: string;
  readonly seq: number;
}

export interface ConsumerPage {
  readonly events: readonly PlayerEvent[];
  /** Where the page begins, exclusive, and ends. */
  readonly from: LogPlace;
  readonly to: LogPlace;
}

/** How far each consumer has read the log of all players. Errors of the world are thrown as they come. */
export interface ConsumerStore {
  /** Gives each new name its place; before the first `read`. Names that are known keep theirs. */
  register(consumers: readonly { readonly name: string; readonly from: 'now' | 'oldest' }[]): Promise<void>;
  /** The next events that are sure to have nothing before them any more; undefined: none, or nobody has this name. */
  read(name: string, limit: number): Promise<ConsumerPage | undefined>;
  /** Moves the place from `from` to `to`; false when it is no longer at `from`. */
  move(name: string, from: LogPlace, to: LogPlace): Promise<boolean>;
  /** Whether anything that is committed was not read, also what an older open transaction holds back. */
  isBehind(name: string): Promise<boolean>;
  /** How many committed events each of these has not read, counted up to `atMost`; unknown names are left out. */
  lag(names: readonly string[], atMost: number): Promise<ReadonlyMap<string, number>>;
  /** Drops the place: nothing is kept for this name any more. */
  forget(name: string): Promise<void>;
}
