import type { Clock } from '../../runtime/clock.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import type { StoreClock } from '../clock/store-clock.ts';
import type { IndexWriter } from '../index/index-writer.ts';
import type { Observe } from '../model/engine-event.ts';
import type { TimerKinds } from '../model/timer-kinds.ts';
import type { TimerStore } from '../model/timer-store.ts';

export interface FiringTools {
  readonly store: TimerStore;
  readonly kinds: TimerKinds;
  readonly indexWriter: IndexWriter;
  readonly clock: Clock;
  readonly storeClock: StoreClock;
  readonly log: EngineLog;
  readonly observe: Observe;
}
