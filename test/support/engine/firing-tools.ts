import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import type { FiringTools } from '../../../server/timer/fire/firing-tools.ts';
import { newTimer } from '../../../server/timer/model/changed-timer.ts';
import type { EngineMeasurement } from '../../../server/timer/model/engine-event.ts';
import type { IndexChanges } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { TimerKinds } from '../../../server/timer/model/timer-kinds.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';

export const NOW_MS = 1_790_000_000_000;
export const torn = new Error('torn');

/** A due timer of an own kind. */
export const timerOf = (id: string, more: Partial<Timer> = {}): Timer => ({
  ...newTimer(id, { kind: 'order', subject: `s${id}`, owner: `o${id}`, dueAtMs: NOW_MS }, NOW_MS),
  ...more,
});

/** What fires timers, on a store that does what a test says. */
export const makeTools = (store: Partial<TimerStore> = {}) => {
  const clock = new ManualClock(NOW_MS);
  const events: EngineMeasurement[] = [];
  const lines: unknown[] = [];
  const changes: IndexChanges[] = [];
  const line = (level: string) => (fields: object, message: string) => void lines.push({ level, message, ...fields });
  const log = { info: line('info'), warn: line('warn'), error: line('error') };
  const tools = {
    store: { isWorldFault: () => false, isContention: () => false, ...store },
    kinds: new TimerKinds(),
    clock,
    storeClock: { nowMs: clock.nowMs },
    log,
    observe: (event: EngineMeasurement) => void events.push(event),
    indexWriter: { apply: async (change: IndexChanges) => void changes.push(change) },
  } as unknown as FiringTools;
  return { tools, clock, events, lines, changes, log };
};
