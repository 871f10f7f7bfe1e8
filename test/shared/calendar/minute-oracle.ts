import type { CronTimes } from '../../../shared/calendar/cron-times.ts';

const MINUTE_MS = 60_000;

interface Wall {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
  /** The same for the same time on the wall. */
  readonly name: number;
}

/** The wall's time, written as if the zone were UTC. Offsets change at whole quarters of an hour only, so they are asked there. */
const wallOf = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const offsets = new Map<number, number>();
  const offsetAt = (ms: number): number => {
    const quarter = Math.floor(ms / (15 * MINUTE_MS));
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    const atMs = quarter * 15 * MINUTE_MS;
    const part = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = part;
    const offsetMs = Date.UTC(year, month - 1, day, hour, minute) - atMs;
    offsets.set(quarter, offsetMs);
    return offsetMs;
  };
  return (ms: number): number => ms + offsetAt(ms);
};

const fieldsOf = (name: number): Wall => {
  const date = new Date(name);
  return {
    name,
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
};

const valuesOf = (field: string, least: number, most: number): ReadonlySet<number> => {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [from = least, to] = range === '*' ? [least, most] : range.split('-').map(Number);
    for (let value = from; value <= (to ?? from); value += Number(step)) values.add(value);
  }
  return values;
};

/**
 * The times of an expression after `fromMs` up to `toMs`, found by looking at each minute: what is on the wall then, whether that
 * was there before, and which minutes the wall has left out just now.
 */
export const timesBetween = ({ expression, timeZone }: CronTimes, fromMs: number, toMs: number): readonly number[] => {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = expression.split(' ');
  const isNamed = !/[*/]/.test(minutes + hours);
  const wanted = {
    minute: valuesOf(minutes, 0, 59),
    hour: valuesOf(hours, 0, 23),
    day: valuesOf(days, 1, 31),
    month: valuesOf(months, 1, 12),
    weekday: valuesOf(weekdays, 0, 6),
  };
  const isWanted = ({ minute, hour, day, month, weekday }: Wall): boolean => {
    const [isDay, isWeekday] = [wanted.day.has(day), wanted.weekday.has(weekday)];
    const isThen = days === '*' || weekdays === '*' ? isDay && isWeekday : isDay || isWeekday;
    return isThen && wanted.month.has(month) && wanted.hour.has(hour) && wanted.minute.has(minute);
  };
  const wallAt = wallOf(timeZone);
  const found: number[] = [];
  const beginMs = fromMs - 180 * MINUTE_MS;
  let latest = wallAt(beginMs - MINUTE_MS);
  for (let atMs = beginMs; atMs <= toMs; atMs += MINUTE_MS) {
    const name = wallAt(atMs);
    const isRepeated = name <= latest;
    let isHit = isWanted(fieldsOf(name)) && !(isNamed && isRepeated);
    for (let left = latest + MINUTE_MS; isNamed && left < name; left += MINUTE_MS) isHit ||= isWanted(fieldsOf(left));
    if (isHit && atMs > fromMs) found.push(atMs);
    latest = Math.max(latest, name);
  }
  return found;
};
