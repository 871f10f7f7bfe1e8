// What a game needs to test its own rules and timers: the entry `colyseus-kibble/testing`. Needs fast-check.

export { MemoryDueIndex } from '../server/adapter/memory/memory-due-index.ts';
export { MemoryTimerStore } from '../server/adapter/memory/memory-timer-store.ts';
export { ManualClock } from '../server/timer/manual-clock.ts';
export {
  type CommandSketch,
  catalogueArbitrary,
  commandArbitrary,
  commandOf,
  type History,
  historyArbitrary,
  historyArbitraryOf,
  type Step,
} from './arbitraries.ts';
export { checkRules, type Violation } from './check-rules.ts';
export { holdAgainstModel, type IndexUnderTest } from './due-index-model.ts';
export { type InventoryClaim, type InventoryUnderTest, inventoryContract } from './inventory-contract.ts';
export { type Played, type PlayOptions, play, type Turn } from './play.ts';
