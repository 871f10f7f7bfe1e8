import type { HomeEvent } from '../../shared/event.ts';
import { fieldsText, fillWords } from '../../shared/ops/fill-words.ts';
import type { OpsRecurrence } from '../../shared/ops/ops-timer.ts';
import { fullInstant, number, span } from './formats.ts';
import { formatsAt, moduleWords } from './module-words.ts';
import { words } from './words.ts';

/** One entry of a log as a sentence: in its module's words, else its name and fields. */
export const eventText = ({ v: _v, seq: _seq, at: _at, type, commandId: _id, ...facts }: HomeEvent, nowMs: number) =>
  factsText(type, facts, nowMs);

/** The same for a step of a ledger. */
export const factsText = (type: string, facts: object, nowMs: number): string => {
  const formats = formatsAt(nowMs);
  const own = moduleWords.value.event(type, facts, formats);
  if (own !== undefined) return own;
  const template = words().log.events[type];
  if (template !== undefined) return fillWords(template, facts, formats);
  const fields = fieldsText(facts, formats);
  return fields === '' ? type : `${type}: ${fields}`;
};

/** A thing's text beside its name and due time. */
export const thingText = (module: string, state: object, nowMs: number): string =>
  moduleWords.value.thing(module, state, formatsAt(nowMs));

const DAY_MS = 86_400_000;

/** A timer's recurrence: `1 d, ×7` or `0 5 * * * (Europe/Paris), → 24 Dec`. */
export const againText = (recurrence: OpsRecurrence): string => {
  if ('every' in recurrence) {
    const { ms, days = 0, timeZone, ...end } = recurrence.every;
    return [ms === undefined ? `${span(days * DAY_MS)} (${timeZone})` : span(ms), ...endOf(end)].join(', ');
  }
  const { expression, timeZone, ...end } = recurrence.cron;
  return [`${expression} (${timeZone})`, ...endOf(end)].join(', ');
};

interface End {
  readonly times?: number | undefined;
  readonly untilMs?: number | undefined;
}

const endOf = ({ times, untilMs }: End): readonly string[] => [
  ...(times ? [`×${number(times)}`] : []),
  ...(untilMs ? [`→ ${fullInstant(untilMs)}`] : []),
];
