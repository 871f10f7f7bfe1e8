import type { Clock } from './clock.ts';
import type { Observe } from './engine-event.ts';
import type { EngineLog } from './engine-log.ts';
import type { IndexWriter } from './index-writer.ts';
import type { StoreClock } from './store-clock.ts';
import type { TimerKinds } from './timer-kinds.ts';
import type { TimerStore } from './timer-store.ts';

/** What firing needs. */
export interface FiringTools {
  readonly store: TimerStore;
  readonly kinds: TimerKinds;
  readonly indexWriter: IndexWriter;
  readonly clock: Clock;
  readonly storeClock: StoreClock;
  readonly log: EngineLog;
  readonly observe: Observe;
}
