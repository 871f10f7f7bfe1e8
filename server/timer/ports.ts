/**
 * What the engine asks of the world, in one place to read. Each port lives in its own file; adapters implement them
 * and `test/contract` holds every adapter to them.
 */
export type { Clock } from './clock.ts';
export type { Delivery, DueIndex, Generation, HandOff, IndexEntry, IndexRemoval } from './due-index.ts';
export type { EngineLog } from './engine-log.ts';
export type { Exclusive } from './exclusive.ts';
export type {
  ChangeOutcome,
  DerivedChanges,
  IndexChanges,
  NewTimer,
  ScheduleOutcome,
  TimerChange,
  TimerStore,
  TimerTarget,
  TimerUpdate,
  Tx,
} from './timer-store.ts';
