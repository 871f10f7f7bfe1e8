import { setImmediate } from 'node:timers/promises';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import type { EngineLog } from '../../../server/runtime/engine-log.ts';
import { alwaysExclusive } from '../../../server/runtime/exclusive.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import type { EngineOptions } from '../../../server/timer/engine-parts.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { EngineMeasurement } from '../../../server/timer/model/engine-event.ts';
import type { CalledTimer, CallKind, EngineKind, FireKind } from '../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { TimerEngine } from '../../../server/timer/timer-engine.ts';
import { FakeTimerStore } from '../fake-database/fake-timer-store.ts';
import { silentLog } from '../log/logs.ts';
import { type IndexFaults, sabotaged, sabotagedIndex } from './sabotaged.ts';

const NOW_MS = 1_790_000_000_000;
const STEP_MS = 25;

interface Options extends Partial<Pick<EngineOptions, 'batchLimit' | 'fireConnections' | 'drainMs' | 'exclusive'>> {
  readonly kinds: readonly EngineKind[];
  /** Methods of the index or the store that do something else, as a fault would have it. */
  readonly faultyIndex?: (index: DueIndex) => IndexFaults;
  readonly faultyStore?: (store: TimerStore) => Partial<TimerStore>;
  /** The rows that another process left; default: none. */
  readonly rows?: FakeTimerStore;
  readonly nowMs?: number;
  readonly log?: EngineLog;
}

/** A running engine in memory, on the wheel; the test moves its time in small steps. All of it is microtasks. */
export const laneScene = async ({ kinds, faultyIndex, faultyStore, rows: left, nowMs, ...options }: Options) => {
  const clock = new ManualClock(nowMs ?? NOW_MS);
  const rows = left ?? new FakeTimerStore(clock.nowMs);
  const index = new MemoryDueIndex(clock);
  const store = sabotaged<TimerStore>(rows, faultyStore?.(rows) ?? {});
  const events: EngineMeasurement[] = [];
  const engine = new TimerEngine({
    store,
    clock,
    log: silentLog,
    exclusive: alwaysExclusive,
    retentionMs: 3_600_000,
    index: sabotagedIndex(index, faultyIndex?.(index) ?? {}),
    observe: (event) => events.push(event),
    ...options,
  });
  for (const kind of kinds) engine.register(kind);
  await engine.start();
  const advance = async (byMs: number): Promise<void> => {
    for (let left = byMs; left > 0; left -= STEP_MS) {
      clock.advance(Math.min(left, STEP_MS));
      await quiet();
    }
  };
  await advance(STEP_MS);
  return { engine, timers: engine.timers, clock, rows, index, events, advance, nowMs: clock.nowMs() };
};

export type LaneScene = Awaited<ReturnType<typeof laneScene>>;

/** Resolves when nothing is left to do at this time. */
export const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await setImmediate();
};

/** A handler that records how late each timer was by the clock. */
export const recorded = (kind: string, nowMs: () => number) => {
  const lateMs: number[] = [];
  const fire = async (timers: readonly { readonly dueAtMs: number }[]): Promise<undefined> => {
    for (const { dueAtMs } of timers) lateMs.push(nowMs() - dueAtMs);
    return undefined;
  };
  return { kind, fire, lateMs };
};

/** A handler whose turns the test ends, each in a transaction. */
export const workedByHand = (kind: string) => {
  const turns: {
    readonly subjects: readonly string[];
    readonly end: () => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  const fire: FireKind['fire'] = (timers) =>
    new Promise((resolve, fail) => {
      turns.push({ subjects: timers.map(({ subject }) => subject), end: () => resolve(undefined), fail });
    });
  return { kind, fire, turns };
};

/** A service whose calls the test ends. */
export const calledByHand = (kind: string, more: Partial<CallKind> = {}) => {
  const calls: {
    readonly timer: CalledTimer;
    readonly signal: AbortSignal;
    readonly reply: (result?: unknown) => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  const call: CallKind['call'] = (timer, signal) =>
    new Promise((reply, fail) => calls.push({ timer, signal, reply, fail }));
  return { kind, call, calls, ...more };
};

/** So many timers of a kind, evenly within `spanMs` from `fromMs` on. */
export const spread = (
  kind: string,
  count: number,
  { fromMs, spanMs = 0 }: { readonly fromMs: number; readonly spanMs?: number },
) =>
  Array.from({ length: count }, (_, at) => ({
    kind,
    subject: `${kind}-${at}`,
    owner: `player-${at % 17}`,
    dueAtMs: fromMs + Math.floor((at * spanMs) / count),
  }));
