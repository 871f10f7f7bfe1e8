import type { OpsFailedGroup } from '../../../shared/ops/ops-answers.ts';
import type { OpsTimer } from '../../../shared/ops/ops-timer.ts';
import { ok } from '../../../shared/result.ts';
import { thingOfSubject } from '../../domain/due-of.ts';
import type { IndexCare } from '../../timer/index-operations.ts';
import { isOfThing, type Timer, type TimerState } from '../../timer/model/timer.ts';
import { BUCKET_COUNTED_TO, COUNTED_TO } from '../../timer/model/timer-counts.ts';
import type { TimerService } from '../../timer/timer-service.ts';
import { type Handles, opsRefusal } from '../perform/ops-call.ts';
import { type AuditStore, timerTarget } from '../perform/perform.ts';
import { explain, type ThingSources } from './thing-reads.ts';

/** A filter. `fromMs` to `toMs`, exclusive: when scheduled timers fire (of things: when they are due), or when the others ended. */
export interface TimerFilter {
  readonly state: TimerState;
  readonly kind?: string | undefined;
  readonly owner?: string | undefined;
  readonly error?: string | undefined;
  readonly hasFailed?: boolean | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The last timer of the previous page. Scheduled timers ascend by `atMs` (a thing's due time), others descend. */
export interface TimerCursor {
  readonly atMs: number;
  readonly timerId: string;
}

export interface TimerPage {
  readonly after: TimerCursor | undefined;
  readonly limit: number;
  /** How many rows fit the filter, up to `COUNTED_TO`: few are searched and sorted, many are found along the order. */
  readonly outOf: number;
}

/** `pending`, `overdue` and `players` go up to `COUNTED_TO`. */
export interface OpsTimerCounts {
  readonly nowMs: number;
  readonly pending: number;
  readonly overdue: number;
  readonly oldestFireAtMs: number | undefined;
  readonly dead: number;
  readonly stuck: number;
  readonly players: number;
}

export interface TimerLists {
  nowMs(): Promise<number>;
  listTimers(filter: TimerFilter, page: TimerPage): Promise<readonly Timer[]>;
  /** Up to `COUNTED_TO`. */
  countTimers(filter: TimerFilter): Promise<number>;
  /** The numbers of scheduled timers in each bucket, before the first and after the last, each up to `BUCKET_COUNTED_TO`. Bounds ascend. */
  histogram(bounds: readonly number[]): Promise<readonly number[]>;
  failedGroups(limit: number): Promise<readonly OpsFailedGroup[]>;
  counts(): Promise<OpsTimerCounts>;
}

interface Dependencies extends ThingSources {
  readonly reads: TimerLists & ThingSources['reads'];
  readonly audit: AuditStore;
  readonly timers: Pick<TimerService, 'find' | 'listByOwner'>;
  readonly index: Pick<IndexCare, 'ofOwner'>;
}

const PAGE = 50;
const MOST_GROUPS = 200;
const HOUR_MS = 3_600_000;
/** The number of buckets of a window, and their length. */
const windows = {
  '1h': { count: 12, lengthMs: HOUR_MS / 12 },
  '24h': { count: 24, lengthMs: HOUR_MS },
  '7d': { count: 28, lengthMs: 6 * HOUR_MS },
} as const;

/** Timers for operators. */
export const timerReads = {
  timers: async ({ reads }, { input }) => {
    const { state = 'scheduled', failed, after, limit = PAGE, ...rest } = input;
    const cursor = cursorOf(after);
    if (after !== undefined && !cursor) {
      return opsRefusal('command/invalid', { faults: [{ path: 'after', message: 'is no place in a list' }] });
    }
    const filter: TimerFilter = { ...rest, state, hasFailed: failed !== undefined };
    const [count, nowMs] = await Promise.all([reads.countTimers(filter), reads.nowMs()]);
    const timers = await reads.listTimers(filter, { after: cursor, limit: limit + 1, outOf: count });
    const page = timers.slice(0, limit);
    const last = timers.length > limit ? page.at(-1) : undefined;
    const shown = page.map((timer) => showTimer(timer, nowMs));
    return ok({ timers: shown, count, countedTo: COUNTED_TO, next: last && nextOf(last), nowMs });
  },

  timer: async ({ reads, timers }, { parts: { timerId } }) => {
    const [timer] = await timers.find([{ timerId }]);
    return timer ? ok(showTimer(timer, await reads.nowMs())) : opsRefusal('timer/unknown', { timerId });
  },

  explainTimer: async (on, { parts: { timerId } }) => {
    const { audit, reads, timers, modules } = on;
    const [timer] = await timers.find([{ timerId }]);
    if (!timer) return opsRefusal('timer/unknown', { timerId });
    const module = modules.ofTimer(timer.kind)?.name;
    const id = thingOfSubject(timer.owner, timer.subject);
    const thing =
      module === undefined || id === undefined ? undefined : await explain(on, timer.owner, { module, thing: id });
    const nowMs = await reads.nowMs();
    return ok({
      timer: showTimer(timer, nowMs),
      thing: thing?.ok ? thing.value : undefined,
      audit: await audit.page(timerTarget(timerId), undefined, PAGE),
      nowMs,
    });
  },

  playerTimers: async ({ reads, timers, index }, { parts: { playerId } }) => {
    const [found, entries, nowMs] = await Promise.all([
      timers.listByOwner(playerId),
      index.ofOwner(playerId),
      reads.nowMs(),
    ]);
    return ok({ timers: found.map((timer) => showTimer(timer, nowMs)), index: entries, nowMs });
  },

  upcoming: async ({ reads }, { input: { window = '1h' } }) => {
    const nowMs = await reads.nowMs();
    const { count, lengthMs } = windows[window];
    const bounds = Array.from({ length: count + 1 }, (_, at) => nowMs + at * lengthMs);
    const counts = await reads.histogram(bounds);
    const buckets = bounds.slice(0, count).map((fromMs, at) => ({
      fromMs,
      toMs: fromMs + lengthMs,
      count: counts[at + 1] ?? 0,
    }));
    return ok({
      window,
      nowMs,
      buckets,
      overdue: counts[0] ?? 0,
      later: counts.at(-1) ?? 0,
      countedTo: BUCKET_COUNTED_TO,
    });
  },

  failed: async ({ reads }) => ok({ groups: await reads.failedGroups(MOST_GROUPS) }),

  audit: async ({ audit }, { input: { target, before, limit = PAGE } }) => {
    const entries = await audit.page(target, before, limit + 1);
    const page = entries.slice(0, limit);
    return ok({ entries: page, nextBefore: entries.length > limit ? page.at(-1)?.id : undefined });
  },
} satisfies Handles<Dependencies>;

export const showTimer = ({ id, ...timer }: Timer, nowMs: number): OpsTimer => ({
  timerId: id,
  ...timer,
  misfire: timer.misfire && { ...timer.misfire },
  isDerived: isOfThing(id),
  isOverdue: timer.state === 'scheduled' && timer.fireAtMs <= nowMs,
  isInCall: timer.state === 'scheduled' && timer.claimedAtMs !== undefined && timer.fireAtMs > nowMs,
});

/** A home on hold tries its things later than their place in the order. */
const nextOf = ({ state, dueAtMs, fireAtMs, updatedAtMs, id }: Timer): string =>
  `${state === 'scheduled' ? (isOfThing(id) ? dueAtMs : fireAtMs) : updatedAtMs}.${id}`;

const cursorOf = (after: string | undefined): TimerCursor | undefined => {
  const [, atMs, timerId] = /^(-?\d{1,16})\.([1-9]\d{0,17})$/.exec(after ?? '') ?? [];
  return atMs === undefined || timerId === undefined ? undefined : { atMs: Number(atMs), timerId };
};
