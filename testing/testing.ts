// What a game needs to test its own rules and timers: the entry `colyseus-kibble/testing`. Needs fast-check.

export type { MemoryDeliveryQueue } from '../server/adapter/memory/memory-delivery-queue.ts';
export { MemoryDueIndex } from '../server/adapter/memory/memory-due-index.ts';
export type { MemoryDueOrders } from '../server/adapter/memory/memory-due-orders.ts';
export { MemoryTimerStore } from '../server/adapter/memory/memory-timer-store.ts';
export { ManualClock } from '../server/runtime/manual-clock.ts';
export type {
  Delivery,
  DeliveryQueue,
  DueIndex,
  DueOrders,
  GenerationInUse,
  HandOff,
  HandOffs,
  IndexMarks,
} from '../server/timer/index/due-index.ts';
export type { Generation } from '../server/timer/index/generation.ts';
export type { IndexEntry, IndexRemoval } from '../server/timer/model/index-entry.ts';
export type {
  DerivedChanges,
  Excepted,
  FireWork,
  FiringRows,
  IndexChanges,
  KindStore,
  NextTurn,
  OverdueQuery,
  PageCursor,
  RowChanges,
  RowLookups,
  RowPage,
  RowPages,
  RowTransactions,
  SeenTimer,
  TimerChange,
  TimerDeferral,
  TimerStore,
  TimersAt,
  TimerUpdate,
} from '../server/timer/model/timer-store.ts';
export type { AnyModule } from '../shared/module/module.ts';
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
export { checkModule, type ModuleTrial } from './check-module.ts';
export { checkRules, type Violation } from './check-rules.ts';
export { holdAgainstModel, type IndexUnderTest, type Tries } from './due-index-model.ts';
export { type InventoryClaim, type InventoryUnderTest, inventoryContract } from './inventory-contract.ts';
export type { Decision, Judgement } from './pets-engine.ts';
export { type Played, type PlayOptions, play, type Turn } from './play.ts';
