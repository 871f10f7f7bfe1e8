import type { Items } from '../../../shared/items.ts';
import type { PageWords } from './en.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Numbers, instants and durations in the format of one language. */
export interface PageFormats {
  /** `4 hours`, `12 seconds`: at most the two largest units. */
  duration(ms: number): string;
  /** The same, short. */
  brief(ms: number): string;
  /** For a running countdown: `3:59:07`, `0:12`. */
  countdown(ms: number): string;
  /** A time of day; with the weekday if it is not near. */
  clock(atMs: number, nowMs: number): string;
  number(value: number): string;
  item(name: string): string;
  items(items: Items): string;
  species(name: string): string;
  thing(name: string): string;
  slot(name: string): string;
  /** On a button; and while it runs. */
  activity(name: string): string;
  doing(name: string): string;
}

export const formatsOf = (words: PageWords): PageFormats => {
  const { lang } = words;
  const numbers = new Intl.NumberFormat(lang);
  const list = new Intl.ListFormat(lang, { type: 'conjunction' });
  const [long, narrow] = [durationFormat(lang, 'long'), durationFormat(lang, 'narrow')];
  const item = (name: string): string => entry(words.items, name);
  return {
    duration: long,
    brief: narrow,
    countdown,
    clock: (atMs, nowMs) => clockFormat(lang, atMs, nowMs),
    number: (value) => numbers.format(value),
    item,
    items: (items) =>
      list.format(Object.entries(items).map(([name, count]) => `${numbers.format(Math.abs(count))} × ${item(name)}`)),
    species: (name) => entry(words.species, name),
    thing: (name) => entry(words.town.things, name),
    slot: (name) => entry(words.town.slots, name),
    activity: (name) => entry(words.town.activities, name),
    doing: (name) => entry(Object.hasOwn(words.town.doing, name) ? words.town.doing : words.town.activities, name),
  };
};

/** A name that the catalogue lacks is shown without its hyphens. */
const entry = (table: Readonly<Record<string, string>>, name: string): string => {
  const known = Object.hasOwn(table, name) ? table[name] : undefined;
  return known ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`;
};

const units = [
  ['days', 'day', DAY_MS],
  ['hours', 'hour', HOUR_MS],
  ['minutes', 'minute', MINUTE_MS],
  ['seconds', 'second', SECOND_MS],
] as const;

/** The argument of `Intl.DurationFormat`, which the compiler's library lacks. */
interface DurationFormat {
  format(duration: Readonly<Record<string, number>>): string;
}
type DurationFormats = new (lang: string, options: { readonly style: string }) => DurationFormat;

const durationFormat = (lang: string, style: 'long' | 'narrow'): ((ms: number) => string) => {
  const { DurationFormat: Format } = Intl as unknown as { readonly DurationFormat?: DurationFormats };
  const format = Format && new Format(lang, { style });
  return (ms) => {
    const parts = partsOf(ms);
    // For a zero duration it returns an empty text.
    if (format && parts.some(({ value }) => value > 0))
      return format.format(Object.fromEntries(parts.map(({ plural, value }) => [plural, value])));
    return parts
      .map(({ unit, value }) => new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: style }).format(value))
      .join(' ');
  };
};

/** The largest unit that fits and the unit below, rounded to that. */
const partsOf = (ms: number) => {
  const largest = units.findIndex(([, , unitMs]) => ms >= unitMs);
  const at = largest < 0 ? units.length - 1 : largest;
  const shown = units.slice(at, at + 2);
  const smallestMs = shown.at(-1)?.[2] ?? SECOND_MS;
  let restMs = Math.round(ms / smallestMs) * smallestMs;
  const parts = shown.map(([plural, unit, unitMs]) => {
    const value = Math.floor(restMs / unitMs);
    restMs -= value * unitMs;
    return { plural, unit, value };
  });
  const told = parts.filter(({ value }) => value > 0);
  return told.length > 0 ? told : parts.slice(-1);
};

/** Rounds up: it shows 0:00 only at the end. */
const countdown = (ms: number): string => {
  const seconds = Math.ceil(ms / SECOND_MS);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = `${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${tail}` : `${minutes}:${tail}`;
};

/** With seconds only for short distances. */
const clockFormat = (lang: string, atMs: number, nowMs: number): string => {
  const awayMs = Math.abs(atMs - nowMs);
  return new Intl.DateTimeFormat(lang, {
    hour: 'numeric',
    minute: '2-digit',
    ...(awayMs < 2 * MINUTE_MS ? { second: '2-digit' } : {}),
    ...(awayMs > 18 * HOUR_MS ? { weekday: 'short' } : {}),
  }).format(atMs);
};
