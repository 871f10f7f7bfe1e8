import type { FireLog } from './fire-log.ts';
import type { Sizes } from './measurement.ts';
import type { Item, TimerSystem } from './timer-system.ts';

/** Shared by the phases of one measurement. */
export interface Session {
  readonly system: TimerSystem;
  readonly sizes: Sizes;
  readonly log: FireLog;
  /** The same for every contender. */
  readonly random: () => number;
  /** Reserves so many unused ids; returns the first. */
  takeIds(count: number): number;
  /** The last measured rate of `scheduleAll`, timers a second. */
  schedulesPerSec: number;
}

const BULK_IN_FLIGHT = 4;
const FAR_MS = 4 * 3_600_000;
const LEAD_MS = 1_000;
/** Multiplies the expected time of scheduling, for a busy machine. */
const SAFETY = 1.6;

/** In four to eight hours. */
export const farDueAtMs = ({ random }: Session): number => Date.now() + FAR_MS + Math.floor(random() * FAR_MS);

export const farItems = (session: Session, count: number): readonly Item[] => {
  const first = session.takeIds(count);
  return Array.from({ length: count }, (_, at) => ({ id: first + at, dueAtMs: farDueAtMs(session) }));
};

/** As fast as the system can; returns the rate a second, or undefined without a bulk call. */
export const scheduleBulk = async (
  { system }: Session,
  items: readonly Item[],
  atMostMs: number,
): Promise<number | undefined> => {
  const { bulk } = system;
  if (bulk === undefined) return undefined;
  const parts = Math.ceil(items.length / bulk.limit);
  const { perSec } = await callRate({ count: parts, atMostMs, inFlight: BULK_IN_FLIGHT }, (at) =>
    bulk.schedule(items.slice(at * bulk.limit, (at + 1) * bulk.limit)),
  );
  return (perSec * items.length) / parts;
};

export const scheduleAll = async (session: Session, items: readonly Item[]): Promise<void> => {
  const bulked = await scheduleBulk(session, items, Number.POSITIVE_INFINITY);
  if (bulked !== undefined) return;
  const { inFlight } = session.sizes;
  await callRate({ count: items.length, atMostMs: Number.POSITIVE_INFINITY, inFlight }, async (at) => {
    const item = items[at];
    if (item !== undefined) await session.system.schedule(item);
  });
};

/** The earliest due time of timers that are scheduled from now on. */
export const startFor = ({ schedulesPerSec }: Session, count: number): number =>
  Math.ceil(Date.now() + LEAD_MS + (count / schedulesPerSec) * SAFETY * 1_000);

interface Load {
  readonly count: number;
  readonly atMostMs: number;
  readonly inFlight: number;
}

export interface CallRate {
  readonly perSec: number;
  /** CPU of this process per call. */
  readonly cpuUs: number;
}

/** Keeps `inFlight` calls open until `count` have replies or the time is over. */
export const callRate = async (load: Load, call: (at: number) => Promise<unknown>): Promise<CallRate> => {
  const { count, atMostMs, inFlight } = load;
  const startedAtMs = performance.now();
  const startedCpu = process.cpuUsage();
  let next = 0;
  let answered = 0;
  const lane = async (): Promise<void> => {
    while (next < count && performance.now() - startedAtMs < atMostMs) {
      await call(next++);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const tookMs = performance.now() - startedAtMs;
  const { user, system } = process.cpuUsage(startedCpu);
  return { perSec: (answered / tookMs) * 1000, cpuUs: (user + system) / answered };
};
