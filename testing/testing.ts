// The entry `colyseus-kibble/testing`: tries a game's own timers, homes and inventory.

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startForGame } from '../server/adapter/embedded-postgres/game-postgres.ts';

export type { Inventory, ItemMove } from '../server/home/model/inventory.ts';
export { ManualClock } from '../server/runtime/manual-clock.ts';
export type { Tx } from '../server/timer/model/timer-store.ts';
export type { Items } from '../shared/items.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../shared/options/options-refused.ts';
export { type InventoryClaim, type InventoryUnderTest, inventoryContract } from './inventory-contract.ts';

export interface TestDatabase {
  /** `postgres://...` of an empty database, for a `pg.Pool`. */
  readonly url: string;
  /** Ends all sessions and removes the data. End your pools before it. */
  stop(): Promise<void>;
}

/**
 * A Postgres for a game's own tests, without Docker and without an installation. It starts in about a second, and its
 * data are deleted when it stops. Start one per run; parallel tests use another `schema` each. The programs come from
 * the package `embedded-postgres` (60 MB), a development dependency of the game. Throws an error with a `code`
 * (`embedded/unsupported` if that package is missing or has no programs for this platform) and a remedy.
 */
export const startTestDatabase = async (): Promise<TestDatabase> => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), `kibble-test-${process.pid}-`));
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true });
  try {
    const postgres = await startForGame({ dataDir, isDurable: false });
    const stop = async (): Promise<void> => {
      await postgres.stop();
      remove();
    };
    return { url: postgres.url, stop };
  } catch (error) {
    remove();
    throw error;
  }
};
