// What a game tests its own timers, homes and inventory with: the entry `colyseus-kibble/testing`.

export type { Inventory, ItemMove } from '../server/home/model/inventory.ts';
export { ManualClock } from '../server/runtime/manual-clock.ts';
export type { Tx } from '../server/timer/model/timer-store.ts';
export type { Items } from '../shared/items.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../shared/options/options-refused.ts';
export { type InventoryClaim, type InventoryUnderTest, inventoryContract } from './inventory-contract.ts';
export { startTestDatabase, type TestDatabase } from './test-database.ts';
