import { computed } from '@preact/signals';
import type { Items } from '../../shared/items.ts';
import { words } from './words.ts';

const SECOND_MS = 1000;
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const times = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
const days = { day: 'numeric', month: 'short' } as const;

/** Made once for each chosen language. */
const formats = computed(() => {
  const { lang } = words();
  const of = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(lang, options);
  return {
    numbers: new Intl.NumberFormat(lang),
    clock: of(times),
    day: of({ ...days, ...times }),
    year: of({ ...days, year: 'numeric', ...times }),
    exactly: of({ dateStyle: 'medium', timeStyle: 'long' }),
  };
});

/** A count that reaches `countedTo` means: so many or more. */
export const number = (value: number, countedTo = Infinity): string =>
  formats.value.numbers.format(value) + (value < countedTo ? '' : '+');

/** With all units, to the millisecond: for sums. */
export const span = (ms: number): string => {
  let restMs = Math.abs(ms);
  const told = units.flatMap(([unit, unitMs]) => {
    const value = Math.floor(restMs / unitMs);
    restMs -= value * unitMs;
    return value > 0 ? [`${number(value)} ${words().units[unit]}`] : [];
  });
  if (restMs > 0 || told.length === 0) told.push(`${number(restMs / SECOND_MS)} ${words().units.second}`);
  return told.join(' ');
};

/** The two largest units, for a glance. */
export const brief = (ms: number): string => {
  const size = Math.abs(ms);
  if (size < SECOND_MS) return `${number(Math.round(size))} ${words().units.millisecond}`;
  const at = units.findIndex(([, unitMs]) => size >= unitMs);
  const smallestMs = at < 0 ? (size < 10_000 ? 100 : SECOND_MS) : (units[at + 1]?.[1] ?? SECOND_MS);
  return span(Math.round(size / smallestMs) * smallestMs);
};

export const signed = (ms: number): string => (ms === 0 ? '±0' : `${ms < 0 ? '−' : '+'}${span(ms)}`);

/** The time of day, with the date if it is not today. */
export const instant = (atMs: number, nowMs: number): string => {
  const [at, now] = [new Date(Math.min(atMs, 864e13)), new Date(nowMs)];
  const { clock, day, year } = formats.value;
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  return (at.getFullYear() === now.getFullYear() ? day : year).format(at);
};

/** With milliseconds unless they are 0: for sums. */
export const exactInstant = (atMs: number, nowMs: number): string => {
  const ms = Math.abs(atMs % SECOND_MS);
  return instant(atMs, nowMs) + (ms === 0 ? '' : `.${String(ms).padStart(3, '0')}`);
};

/** For a tooltip: with zone. */
export const fullInstant = (atMs: number): string =>
  `${formats.value.exactly.format(atMs)} · ${new Date(atMs).toISOString()}`;

export const relative = (atMs: number, nowMs: number): string => {
  const ms = atMs - nowMs;
  if (Math.abs(ms) < SECOND_MS) return words().now;
  return ms > 0 ? words().inTime({ span: brief(ms) }) : words().ago({ span: brief(ms) });
};

/** A process's short name: the beginning of a random name suffices. */
export const processName = (name: string): string => (/^[0-9a-f]{8}-/.test(name) ? name.slice(0, 8) : name);

/** A subject without the repeated player: a thing's id may begin with its player's id. */
export const shortSubject = ({ subject, owner }: { readonly subject: string; readonly owner: string }): string =>
  subject.startsWith(`${owner}~${owner}~`) ? subject.slice(owner.length + 1) : subject;

/** `+5 × gold, −1 × boost`. */
export const signedItems = (counts: Items): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count < 0 ? '−' : '+'}${items({ [name]: count })}`)
    .join(words().list);

/** `5 × gold, 1 × boost`. */
export const items = (counts: Items): string =>
  Object.entries(counts)
    .map(([name, count]) => `${number(Math.abs(count))} × ${name}`)
    .join(words().list);
