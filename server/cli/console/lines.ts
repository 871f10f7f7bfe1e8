import type { OpsRecurrence, OpsTimer } from '../../../shared/ops/ops-timer.ts';
import { visible } from '../../../shared/text.ts';

/** Columns of the needed width. */
export const table = (head: readonly string[], rows: readonly (readonly unknown[])[]): readonly string[] => {
  const cells = [head, ...rows.map((row) => row.map((cell) => visible(String(cell ?? ''))))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  return cells.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd(),
  );
};

const graphemes = new Intl.Segmenter();
/** Characters that a terminal draws two columns wide. */
const isWide =
  /^(?:\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])/u;
const isPlain = /^[ -~]*$/;

/** The width in columns of a terminal. */
export const widthOf = (text: string): number =>
  isPlain.test(text)
    ? text.length
    : [...graphemes.segment(text)].reduce((width, { segment }) => width + (isWide.test(segment) ? 2 : 1), 0);

/** Of `Date`: a module's boost without end has a later one. */
const LATEST_DATE_MS = 8.64e15;

/** In UTC, marked by the Z. */
export const instant = (atMs: number | undefined): string =>
  atMs === undefined ? '-' : new Date(Math.min(atMs, LATEST_DATE_MS)).toISOString().replace('T', ' ');

/** A count that goes up to `countedTo`: that or more. */
export const counted = (count: number, countedTo: number): string => `${count}${count < countedTo ? '' : '+'}`;

/** `-1 h 30 min`, at most three units. */
export const lasting = (ms: number): string => {
  const sign = ms < 0 ? '-' : '';
  let left = Math.abs(ms);
  const parts: string[] = [];
  for (const [name, length] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
    ['ms', 1],
  ] as const) {
    if (left < length) continue;
    parts.push(`${Math.floor(left / length)} ${name}`);
    left %= length;
  }
  return parts.length === 0 ? '0' : `${sign}${parts.slice(0, 3).join(' ')}`;
};

export const timerTable = (timers: readonly OpsTimer[]): readonly string[] =>
  table(
    ['timer', 'kind', 'subject', 'owner', 'state', 'due', 'fires', 'tries', 'turn', 'comes again', 'in call since'],
    timers.map((timer) => [
      ...[timer.timerId, timer.kind, timer.subject, timer.owner, timer.state, instant(timer.dueAtMs)],
      ...[timer.isPaused ? 'paused' : instant(timer.fireAtMs), timer.attempt, timer.turn],
      timer.recurrence === undefined ? '' : againBy(timer.recurrence),
      timer.claimedAtMs === undefined ? '' : instant(timer.claimedAtMs),
    ]),
  );

/** Recurrence, late policy and lateness; no line for a timer that comes once and in time. */
export const recurrenceLines = ({ turn, recurrence, misfire, lateness }: OpsTimer): readonly string[] => [
  ...(recurrence ? [`turn ${turn}, comes again ${againBy(recurrence)}`] : []),
  ...(misfire ? [`when late: ${JSON.stringify(misfire)}`] : []),
  ...(lateness ? [`taken ${lasting(lateness.lateMs)} late, ${lateness.missed} turns missed before it`] : []),
];

const againBy = (recurrence: OpsRecurrence): string => {
  const { untilMs, times } = 'every' in recurrence ? recurrence.every : recurrence.cron;
  return [
    byOf(recurrence),
    ...(times ? [`${times} times`] : []),
    ...(untilMs ? [`until ${instant(untilMs)}`] : []),
  ].join(', ');
};

const byOf = (recurrence: OpsRecurrence): string => {
  if ('cron' in recurrence) return `at ${recurrence.cron.expression} in ${recurrence.cron.timeZone}`;
  const { ms, days, timeZone } = recurrence.every;
  return ms === undefined ? `every ${days} days in ${timeZone}` : `every ${lasting(ms)}`;
};
