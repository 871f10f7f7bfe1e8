import { type CronTimes, cronTimesIn, nextCronMs } from '../../../shared/calendar/cron-times.ts';
import { dayOf } from '../../../shared/calendar/wall-times.ts';
import { type Zone, zoneOf } from '../../../shared/calendar/zone.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';

const DAY_MS = 86_400_000;

/** When a timer that comes again begins, and when it comes no more: by whichever is first. */
export interface Ending {
  /** No turn comes by itself before this instant. With it a first due time may be left out. */
  readonly fromMs?: number | undefined;
  /** No turn is due after this instant. */
  readonly untilMs?: number | undefined;
  /** Turns in all, the first one counted, but not those that were put off or ordered anew. */
  readonly times?: number | undefined;
}

/** Each so many milliseconds, counted from the first due time. */
export interface EveryMs extends Ending {
  readonly ms: number;
  readonly days?: undefined;
  readonly timeZone?: undefined;
}

/** Each so many days of a time zone, at the same time on its wall; at the end of the gap where clocks leave that out. */
export interface EveryDays extends Ending {
  readonly days: number;
  readonly timeZone: string;
  readonly ms?: undefined;
}

export type Every = EveryMs | EveryDays;

/** By the calendar of a time zone. */
export interface Cron extends CronTimes, Ending {}

/** How a timer comes again by itself; kept on its row. */
export type Recurrence = { readonly every: Every } | { readonly cron: Cron };

/** As it is asked for: one of the two, or none. */
export interface Recurring {
  /** It comes again, each so many milliseconds after its due time. */
  readonly every?: Every | undefined;
  /** It comes again by the calendar of a time zone. */
  readonly cron?: Cron | undefined;
}

export interface TimerTurn {
  /** From 1. */
  readonly turn: number;
  readonly dueAtMs: number;
}

/** So many turns are counted one by one, those of a calendar. */
export const MOST_COUNTED = 1000;

/** One that comes once (`times: 1`) has none. */
export const recurrenceOf = ({ every, cron }: Recurring): Recurrence | undefined => {
  if ((every ?? cron)?.times === 1) return undefined;
  if (every) return { every };
  return cron && { cron };
};

/** The turn that follows, counted from the due time: however late a turn fires, the next one is not. Undefined at the end. */
export const turnAfter = (recurrence: Recurrence, { turn, dueAtMs }: TimerTurn): TimerTurn | undefined => {
  const { fromMs = dueAtMs, untilMs, times } = endingOf(recurrence);
  if (times !== undefined && turn >= times) return undefined;
  const nextMs =
    'every' in recurrence
      ? nextOfEvery(recurrence.every, dueAtMs)
      : nextCronMs(recurrence.cron, Math.max(dueAtMs, fromMs - 1));
  const isOver = nextMs === undefined || nextMs >= LATEST_MS || (untilMs !== undefined && nextMs > untilMs);
  return isOver ? undefined : { turn: turn + 1, dueAtMs: nextMs };
};

/** The last turn that is due by `byMs`; `from` itself when no other is. Turns of a calendar are counted to 1,000. */
export const lastTurnBy = (recurrence: Recurrence, from: TimerTurn, byMs: number): TimerTurn => {
  if ('every' in recurrence) return lastOfEvery(recurrence.every, from, byMs);
  const { times = Infinity, untilMs = Infinity, fromMs = from.dueAtMs } = recurrence.cron;
  const span = {
    afterMs: Math.max(from.dueAtMs, fromMs - 1),
    byMs: Math.min(byMs, untilMs, LATEST_MS - 1),
    most: times - from.turn,
  };
  const { count, lastMs } = cronTimesIn(recurrence.cron, span);
  return { turn: from.turn + Math.min(count, MOST_COUNTED), dueAtMs: count > 0 ? lastMs : from.dueAtMs };
};

/** With one more of its `times`, for a turn that is none of them. Undefined where there is no such end. */
export const withOneMore = (recurrence: Recurrence | undefined): Recurrence | undefined => {
  const times = recurrence && endingOf(recurrence).times;
  if (recurrence === undefined || times === undefined) return undefined;
  const more = { times: times + 1 };
  return 'every' in recurrence
    ? { every: { ...recurrence.every, ...more } }
    : { cron: { ...recurrence.cron, ...more } };
};

const lastOfEvery = (every: Every, from: TimerTurn, byMs: number): TimerTurn => {
  const { untilMs = Infinity, times = Infinity } = every;
  const { at, stepsBy } = stepsOf(every, from.dueAtMs);
  const before = firstStep(every, from.dueAtMs, stepsBy) - 1;
  const count = Math.min(stepsBy(Math.min(byMs, untilMs, LATEST_MS - 1)) - before, times - from.turn);
  return count > 0 ? { turn: from.turn + count, dueAtMs: at(before + count) } : from;
};

const nextOfEvery = (every: Every, dueAtMs: number): number => {
  const { at, stepsBy } = stepsOf(every, dueAtMs);
  return at(firstStep(every, dueAtMs, stepsBy));
};

/** Steps to a turn that is not before `fromMs`. */
const firstStep = ({ fromMs }: Every, dueAtMs: number, stepsBy: Steps['stepsBy']): number =>
  fromMs === undefined || fromMs <= dueAtMs ? 1 : Math.max(1, stepsBy(fromMs - 1) + 1);

const endingOf = (recurrence: Recurrence): Ending => ('every' in recurrence ? recurrence.every : recurrence.cron);

/** The turns of an interval, by how many steps they are away from a due time. */
export interface Steps {
  readonly at: (step: number) => number;
  /** The last step by an instant. */
  readonly stepsBy: (byMs: number) => number;
}

/** Throws for a time zone that cannot be read. */
export const stepsOf = (every: Every, dueAtMs: number): Steps => {
  if (every.ms !== undefined) {
    const { ms } = every;
    return { at: (step) => dueAtMs + step * ms, stepsBy: (byMs) => Math.floor((byMs - dueAtMs) / ms) };
  }
  const zone = zoneOf(every.timeZone);
  const wallMs = wantedWallMs(zone, every, dueAtMs);
  const stepMs = every.days * DAY_MS;
  const at = (step: number): number => zone.instantOf(wallMs + step * stepMs);
  const stepsBy = (byMs: number): number => {
    let step = Math.floor((zone.wallOf(byMs) - wallMs) / stepMs) + 1;
    while (step > 0 && at(step) > byMs) step -= 1;
    return step;
  };
  return { at, stepsBy };
};

/** What the wall was to show: not the end of a gap, where this turn is due there because clocks left out its own time. */
const wantedWallMs = (zone: Zone, { fromMs }: EveryDays, dueAtMs: number): number => {
  const shownMs = zone.wallOf(dueAtMs);
  if (fromMs === undefined) return shownMs;
  const firstMs = zone.wallOf(fromMs);
  const thatDayMs = dayOf(shownMs) + firstMs - dayOf(firstMs);
  return [thatDayMs, thatDayMs - DAY_MS].find((wallMs) => zone.instantOf(wallMs) === dueAtMs) ?? shownMs;
};
