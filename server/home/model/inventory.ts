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
  /** Unique among all committed moves: `<playerId>~<seq>~<item>` of the event. */
  readonly key: string;
}

/**
 * Stores the items: our own table, or the game's. Calls run inside the transaction of the home's change.
 * docs/inventory.md says what each must do; `inventoryContract` of `/testing` tries it.
 */
export interface Inventory {
  /**
   * Returns the stock of each player, locked until the transaction ends against any other writer; Kibble itself has
   * locked the homes. Players without items may be left out.
   */
  load(tx: Tx, playerIds: readonly string[]): Promise<ReadonlyMap<string, Items>>;
  /** Applies the moves, or throws. A stock must not become negative. */
  apply(tx: Tx, moves: readonly ItemMove[]): Promise<void>;
  /** An operator erases these players. Without it their items stay, and the next player with the id gets them. */
  erase?(tx: Tx, playerIds: readonly string[]): Promise<void>;
  /**
   * An operator merges a home into another one, after `apply` has moved all items. For other data of the game (a
   * ledger, a rating), which otherwise stays unchanged.
   */
  merge?(tx: Tx, players: { readonly from: string; readonly into: string }): Promise<void>;
}
