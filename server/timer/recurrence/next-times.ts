import { readOptions } from '../../../shared/options/read-options.ts';
import { fields, instantMs, whole } from '../../../shared/options/shapes.ts';
import { recurring, twoRecurrences } from './check-recurrence.ts';
import { begun, type Recurrence, type Recurring, stepsOf, turnAfter } from './recurrence.ts';

const MOST = 1000;

export const nextTimesArguments = fields({
  recurrence: fields<Recurring>(recurring, (given) => [
    ...twoRecurrences(given),
    ...(given.every === undefined && given.cron === undefined ? [NOTHING] : []),
  ]),
  afterMs: instantMs(),
  count: whole({ min: 1, max: MOST }),
});

const NOTHING = { at: [], what: 'comes never', remedy: 'give `every` or `cron`' };

/**
 * The next times of a recurrence after an instant, at most `count`: for a page that shows them, or a first due time. An
 * interval without `fromMs` counts from `afterMs`. Throws `OptionsRefused`.
 */
export const nextTimes = (given: Recurrence, afterMs: number, count: number): readonly number[] => {
  const asked = readOptions(nextTimesArguments, { recurrence: given, afterMs, count }, 'nextTimes');
  const firstMs = firstTimeOf(asked.recurrence, afterMs);
  const recurrence = begun(asked.recurrence, firstMs ?? afterMs);
  const { untilMs = Number.POSITIVE_INFINITY } = 'every' in recurrence ? recurrence.every : recurrence.cron;
  const first = { turn: 1, dueAtMs: firstMs ?? Number.NaN };
  const times: number[] = [];
  let next = firstMs === undefined ? turnAfter(recurrence, { turn: 0, dueAtMs: afterMs }) : first;
  for (; next && next.dueAtMs <= untilMs && times.length < count; next = turnAfter(recurrence, next))
    times.push(next.dueAtMs);
  return times;
};

/** The first due time after an instant. Undefined: the recurrence does not say when it begins, or never comes. */
export const firstTimeOf = ({ every, cron }: Recurring, afterMs: number): number | undefined => {
  if (cron) return turnAfter({ cron: { ...cron, times: undefined } }, { turn: 0, dueAtMs: afterMs })?.dueAtMs;
  if (every?.fromMs === undefined) return undefined;
  const { at, stepsBy } = stepsOf(every, every.fromMs);
  return every.fromMs > afterMs ? every.fromMs : at(stepsBy(afterMs) + 1);
};
