import { cronFaults, cronShape } from '../../../shared/calendar/cron-shape.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { FaultAt } from '../../../shared/options/schema.ts';
import { fields, instantMs, notBoth, oneOf, type Shape, whole, wholeMs } from '../../../shared/options/shapes.ts';
import type { MisfirePolicy } from './misfire.ts';
import { type Cron, type Ending, type Every, type Recurring, recurrenceOf, turnAfter } from './recurrence.ts';

/** Anything shorter is a tick, not a timer. Turns are counted in 31 bits. */
const LEAST_MS = 1000;
const MOST_TURNS = 2 ** 31 - 1;
const MOST_DAYS = 36_500;

const ending: Shape<Ending> = {
  fromMs: instantMs('timer/bad-end').optional(),
  untilMs: instantMs('timer/bad-end').optional(),
  times: whole({ min: 1, max: MOST_TURNS, code: 'timer/bad-end' }).optional(),
};

const every = fields<Every>(
  {
    ms: wholeMs({ min: LEAST_MS, max: LATEST_MS - 1, code: 'timer/bad-interval' }).optional(),
    days: whole({ min: 1, max: MOST_DAYS, code: 'timer/bad-interval' }, 'whole days').optional(),
    timeZone: cronShape.timeZone.optional(),
    sameTimeAsMs: instantMs('timer/bad-interval').optional(),
    ...ending,
  },
  ({ ms, days, timeZone, sameTimeAsMs }) => {
    const isRight =
      ms === undefined
        ? days !== undefined && timeZone !== undefined
        : days === undefined && timeZone === undefined && sameTimeAsMs === undefined;
    const zone = cronFaults({ timeZone });
    return isRight ? zone : [NO_INTERVAL, ...zone];
  },
);

const NO_INTERVAL: FaultAt = {
  at: [],
  code: 'timer/bad-interval',
  what: 'is no interval',
  remedy: 'give `ms`, or `days` and `timeZone`',
};

const cron = fields<Cron>({ ...cronShape, ...ending }, cronFaults);

/** The recurrence options of a timer. */
export const recurring: Shape<Recurring> = { every: every.optional(), cron: cron.optional() };

/** The fault of giving both. */
export const twoRecurrences = notBoth('every', 'cron', {
  code: 'timer/two-recurrences',
  remedy: 'leave one of them out, or schedule two timers',
});

export const misfire = fields<MisfirePolicy>({
  afterMs: wholeMs({ min: 0, max: LATEST_MS - 1, code: 'timer/bad-misfire' }).optional(),
  late: oneOf(['fire', 'skip', 'hand', 'dead'], 'timer/bad-misfire').optional(),
  missed: oneOf(['all', 'last', 'none'], 'timer/bad-misfire').optional(),
});

/** The fault of a recurring timer that is first due at `dueAtMs` and would never come again. */
export const neverAgain = (asked: Recurring, dueAtMs: number | undefined, nowMs: number): readonly FaultAt[] => {
  const recurrence = recurrenceOf(asked);
  if (dueAtMs !== undefined && !(recurrence && !turnAfter(recurrence, { turn: 1, dueAtMs }))) return [];
  const after = new Date(dueAtMs ?? nowMs).toISOString();
  const remedy = 'change the interval, the expression or the end, or leave the recurrence out';
  const at = [asked.every === undefined ? 'cron' : 'every'];
  return [{ at, code: 'timer/never-again', what: `never comes again after ${after}`, remedy }];
};
