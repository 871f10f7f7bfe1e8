import { ManualClock } from '../../../../server/runtime/manual-clock.ts';
import type { FiringTools } from '../../../../server/timer/fire/firing-tools.ts';
import { InFlight } from '../../../../server/timer/fire/in-flight.ts';
import { Lane, type LaneWork, type OnRoom } from '../../../../server/timer/fire/lane.ts';
import type { EngineEvent } from '../../../../server/timer/model/engine-event.ts';
import type { IndexEntry } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { TimerDeferral } from '../../../../server/timer/model/timer-store.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';
import { silentLog } from '../../../support/log/silent-log.ts';

export const NOW_MS = 1_790_000_000_000;
const STEP_MS = 25;
/** The so manyeth, with the id of an own kind's: an odd one. */
const idOf = (at: number): string => String(2 * at - 1);
const placeOf = (id: string): number => (Number(id) + 1) / 2;
const timer = (at: number) =>
  ({
    id: idOf(at),
    owner: 'ann',
    kind: 'order',
    fireAtMs: NOW_MS,
    revision: 1,
    attempt: 0,
    state: 'scheduled',
  }) as Timer;

interface Scene {
  readonly slots: number;
  readonly patienceMs: number;
  readonly choose: (waiting: readonly InFlight[], room: number) => readonly InFlight[];
  /** Work that has freed its room ends only then. */
  readonly settling: Promise<void>;
}

/** A lane with work that the test ends: `slots` timers at once, each by itself, none with `takesNone`. */
export const makeLane = ({
  slots = 1,
  patienceMs = 2000,
  choose = (waiting, room) => waiting.slice(0, room),
  settling = Promise.resolve(),
}: Partial<Scene> = {}) => {
  const clock = new ManualClock(NOW_MS);
  const [deferrals, told, events]: [TimerDeferral[], IndexEntry[], EngineEvent[]] = [[], [], []];
  const begun: { readonly id: string; finish(count?: number): void }[] = [];
  let running = 0;
  let isPaused = false;
  const work: LaneWork = {
    get room() {
      return slots - running;
    },
    get running() {
      return running;
    },
    capacity: slots,
    choose: (waiting) => choose(waiting, slots - running),
    begin: async (taken: readonly InFlight[], onRoom: OnRoom) => {
      running += taken.length;
      const { promise, resolve } = Promise.withResolvers<number>();
      begun.push({
        id: taken.map((one) => placeOf(one.timer.id)).join(' '),
        finish: (count = taken.length) => resolve(count),
      });
      const finished = await promise;
      running -= taken.length;
      onRoom(finished);
      await settling;
      for (const one of taken) one.settle();
    },
  };
  const tools = {
    clock,
    storeClock: { nowMs: () => clock.nowMs() + 0.5 },
    kinds: { isPaused: () => isPaused },
    log: silentLog,
    observe: (event: EngineEvent) => events.push(event),
    indexWriter: { apply: async ({ put }: { put: readonly IndexEntry[] }) => void told.push(...put) },
    store: {
      defer: async (items: readonly TimerDeferral[]) => {
        deferrals.push(...items);
        const timers = items.map(({ timerId, byMs }) => ({
          ...timer(placeOf(timerId)),
          fireAtMs: clock.nowMs() + byMs,
        }));
        return { timers, nowMs: clock.nowMs() };
      },
    },
  } as unknown as FiringTools;
  const lane = new Lane({ tools, kind: 'order', work, patienceMs });
  let settled = 0;
  const take = (count: number, from = 1) =>
    Array.from({ length: count }, (_, at) => {
      const taken = new InFlight(timer(from + at), clock.monotonicMs(), () => undefined);
      void taken.settled.then(() => {
        settled += 1;
      });
      return taken;
    });
  const advance = async (byMs: number): Promise<void> => {
    for (let left = byMs; left > 0; left -= STEP_MS) {
      clock.advance(Math.min(left, STEP_MS));
      await quiet();
    }
  };
  /** The first work ends after this time, the next after as long again, so many times. */
  const finishEach = async (everyMs: number, times: number): Promise<void> => {
    for (let turn = 0; turn < times; turn += 1) {
      await advance(everyMs);
      begun[turn]?.finish();
      await quiet();
    }
  };
  const idsOf = (items: readonly { readonly timerId: string }[]) => items.map(({ timerId }) => placeOf(timerId));
  return {
    ...{ clock, lane, take, advance, finishEach, begun, deferrals, told, events },
    settled: () => settled,
    deferred: () => idsOf(deferrals),
    toldOf: () => idsOf(told),
    pause: () => {
      isPaused = true;
    },
  };
};
