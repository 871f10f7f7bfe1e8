import { type CronTimes, cronTimesIn, nextCronMs, type Span } from '../../../shared/calendar/cron-times.ts';
import { dayOf } from '../../../shared/calendar/wall-times.ts';
import { type Zone, zoneOf } from '../../../shared/calendar/zone.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;

/** When a recurrence begins, and the conditions that end it: the first one that is met. */
export interface Ending {
  /** No turn comes before this instant, except a first one with a due time. That may be left out then. */
  readonly fromMs?: number | undefined;
  /** No turn is due after this instant. */
  readonly untilMs?: number | undefined;
  /** The number of turns, with the first one, without turns that a handler or a new order adds. */
  readonly times?: number | undefined;
}

/** Comes again after so many milliseconds, counted from the first due time. */
export interface EveryMs extends Ending {
  readonly ms: number;
  readonly days?: undefined;
  readonly timeZone?: undefined;
  readonly sameTimeAsMs?: undefined;
}

/** Comes again after so many days, at the same local time; if clocks skip that time, at the end of the gap. */
export interface EveryDays extends Ending {
  readonly days: number;
  readonly timeZone: string;
  /** Kibble stores it: the local time of this instant is that of all turns, if the first due time has it, too. */
  readonly sameTimeAsMs?: number | undefined;
  readonly ms?: undefined;
}

export type Every = EveryMs | EveryDays;

/** By the calendar of a time zone. */
export interface Cron extends CronTimes, Ending {}

/** How a timer comes again by itself; kept on its row. */
export type Recurrence = { readonly every: Every } | { readonly cron: Cron };

/** The recurrence of a request: one of the two, or none. */
export interface Recurring {
  /** The timer comes again after so much time from its due time. */
  readonly every?: Every | undefined;
  /** The timer comes again by the calendar of a time zone. */
  readonly cron?: Cron | undefined;
}

export interface TimerTurn {
  /** From 1. */
  readonly turn: number;
  readonly dueAtMs: number;
}

/** At most so many turns of a calendar are counted, because they are counted one by one. */
export const MOST_COUNTED = 1000;
/** The column has 31 bits. Missed turns of an interval are counted up to this one, so that as many may follow. */
const LAST_COUNTED = 2 ** 30;

/** Whether a recurrence is given, also one of a single turn. */
export const givesRecurrence = ({ every, cron }: Recurring): boolean => every !== undefined || cron !== undefined;

/** `times: 1` is no recurrence. */
export const recurrenceOf = ({ every, cron }: Recurring): Recurrence | undefined => {
  if ((every ?? cron)?.times === 1) return undefined;
  if (every) return { every };
  return cron && { cron };
};

/** The recurrence of a timer that is first due at `dueAtMs`: that decides the local time of an interval of days. */
export const begun = <Given extends Recurring>(given: Given, dueAtMs: number): Given => {
  const { every } = given;
  if (every?.days === undefined) return given;
  const ofMs = every.sameTimeAsMs ?? every.fromMs ?? dueAtMs;
  const isSame = sameWallMs(zoneOf(every.timeZone), ofMs, dueAtMs) !== undefined;
  return { ...given, every: { ...every, sameTimeAsMs: isSame ? ofMs : dueAtMs } };
};

/** The following turn, counted from the due time: a late turn does not make the next one late. Undefined at the end. */
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

/** The last turn that is due by `byMs`; `from` if there is no other. At most 1,000 turns of a calendar are counted. */
export const lastTurnBy = (recurrence: Recurrence, from: TimerTurn, byMs: number): TimerTurn => {
  if ('every' in recurrence) return lastOfEvery(recurrence.every, from, byMs);
  const { cron } = recurrence;
  const { times = Infinity, untilMs = Infinity, fromMs = from.dueAtMs } = cron;
  const span = { afterMs: Math.max(from.dueAtMs, fromMs - 1), byMs: Math.min(byMs, untilMs, LATEST_MS - 1) };
  const left = times - from.turn;
  const { count, lastMs } = cronTimesIn(cron, { ...span, most: Math.min(left, MOST_COUNTED) });
  const turn = from.turn + count;
  if (count < MOST_COUNTED) return { turn, dueAtMs: count > 0 ? lastMs : from.dueAtMs };
  return { turn, dueAtMs: lastCronMs(cron, { ...span, afterMs: lastMs, most: left - count }) };
};

/**
 * The last time in a span, `afterMs` if it has none. Looks only at the last year if that has a time: a due time of 1970
 * would cost 20,000 steps. A calendar with no time in a year has so few days that all of them cost less.
 */
const lastCronMs = (cron: Cron, span: Span): number => {
  const afterMs = Math.max(span.afterMs, span.byMs - YEAR_MS);
  const { count, lastMs } = cronTimesIn(cron, { ...span, afterMs });
  return count > 0 ? lastMs : cronTimesIn(cron, span).lastMs;
};

/** The recurrence with one more of its `times`, for a turn that does not count. Undefined if it has no `times`. */
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
  const counted = Math.min(count, Math.max(1, LAST_COUNTED - from.turn));
  return count > 0 ? { turn: from.turn + counted, dueAtMs: at(before + count) } : from;
};

const nextOfEvery = (every: Every, dueAtMs: number): number => {
  const { at, stepsBy } = stepsOf(every, dueAtMs);
  return at(firstStep(every, dueAtMs, stepsBy));
};

/** The number of steps to the first turn that is not before `fromMs`. */
const firstStep = ({ fromMs }: Every, dueAtMs: number, stepsBy: Steps['stepsBy']): number =>
  fromMs === undefined || fromMs <= dueAtMs ? 1 : Math.max(1, stepsBy(fromMs - 1) + 1);

const endingOf = (recurrence: Recurrence): Ending => ('every' in recurrence ? recurrence.every : recurrence.cron);

/** The turns of an interval, by their number of steps from a due time. */
export interface Steps {
  readonly at: (step: number) => number;
  /** The last step that is due by an instant. */
  readonly stepsBy: (byMs: number) => number;
}

/** Throws for an unknown time zone. */
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

/** The intended local time. It differs from the shown one if clocks skipped it and the turn is due at the end of the gap. */
const wantedWallMs = (zone: Zone, { sameTimeAsMs, fromMs }: EveryDays, dueAtMs: number): number =>
  sameWallMs(zone, sameTimeAsMs ?? fromMs ?? dueAtMs, dueAtMs) ?? zone.wallOf(dueAtMs);

/** The local time of an instant on another day, if a turn with that local time is due at `dueAtMs`. */
const sameWallMs = (zone: Zone, ofMs: number, dueAtMs: number): number | undefined => {
  const firstMs = zone.wallOf(ofMs);
  const thatDayMs = dayOf(zone.wallOf(dueAtMs)) + firstMs - dayOf(firstMs);
  return [thatDayMs, thatDayMs - DAY_MS].find((wallMs) => zone.instantOf(wallMs) === dueAtMs);
};
