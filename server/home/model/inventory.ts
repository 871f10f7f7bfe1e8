import type { Items } from '../../../shared/items.ts';
import type { Tx } from '../../timer/model/timer-store.ts';

/** One change of a player's stock. */
export interface ItemMove {
  readonly playerId: string;
  readonly item: string;
  /** Given (+) or taken (-); whole, never 0. */
  readonly delta: number;
  /** The event's type, or the reason of a grant. */
  readonly reason: string;
  /** Unique among all moves that were committed: `<playerId>~<seq>~<item>` of the event. */
  readonly key: string;
}

/**
 * Where items are kept: our own table, or the game's. Both calls are inside the transaction of the home's change.
 * What each must do: docs/inventory.md; `inventoryContract` of `/testing` tries it.
 */
export interface Inventory {
  /**
   * The stock of each player, locked until the transaction ends against whatever changes it besides Kibble, which has the
   * homes locked. Players without items may be left out.
   */
  load(tx: Tx, playerIds: readonly string[]): Promise<ReadonlyMap<string, Items>>;
  /** Applies the moves, or throws. A stock must not become negative. */
  apply(tx: Tx, moves: readonly ItemMove[]): Promise<void>;
  /** An operator erases these players. Without it their items stay, and whoever gets the id next has them. */
  erase?(tx: Tx, playerIds: readonly string[]): Promise<void>;
  /**
   * An operator merges a home into another one, after `apply` has moved all items: for what the game keeps besides (a ledger,
   * a rating). Without it that stays where it is.
   */
  merge?(tx: Tx, players: { readonly from: string; readonly into: string }): Promise<void>;
}
