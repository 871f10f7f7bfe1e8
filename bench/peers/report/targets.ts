import type { Spread } from '../../harness/spread.ts';
import { BULLMQ, BULLMQ_ALWAYS, contenders, ON_REDIS, ON_WHEEL, RAW_REDIS, RAW_STREAM } from '../measure/contenders.ts';
import type { Measurement } from '../measure/measurement.ts';
import { costs, lateness, rates, ratiosOf, spreadOfValues, valuesOf } from './figures.ts';

export interface Goal {
  readonly title: string;
  readonly figure: string;
  /** The contender and figure of the divisor; default: the same figure. */
  readonly against?: { readonly contender: string; readonly figure?: string };
  readonly atLeast?: number;
  readonly atMost?: number;
  /** The contenders of the goal; default: both of ours with default settings. */
  readonly of?: readonly string[];
  /** Four rounds of five at least must reach the goal, and the median: so it is reached beyond the spread. */
  readonly isInFourOfFive?: boolean;
}

/** Of goals that ask for four of five. */
export const LEAST_PAIRS = 5;

/** Of the race. Older records do not have it. */
const FAILED = 'failed';

/** One batch at a time is in this process or in Postgres: the bound follows from both CPU times, as a share of raw Redis. */
const toRaw = (figure: string, onWheel: number, onRedis: number): readonly Goal[] =>
  [
    { of: [ON_WHEEL], atLeast: onWheel },
    { of: [ON_REDIS], atLeast: onRedis },
  ].map(({ of, atLeast }) => ({
    title: `${figure} >= ${atLeast} x raw Redis`,
    figure,
    against: { contender: RAW_REDIS },
    atLeast,
    of,
  }));
/** With the same promise: on disk when the call returns. */
const toBullMq = (figure: string, atLeast: number, of: string): Goal => ({
  title: `${figure} ${atLeast === 1 ? 'above' : `>= ${atLeast} x`} ${BULLMQ_ALWAYS}`,
  figure,
  against: { contender: BULLMQ_ALWAYS },
  atLeast,
  of: [of],
  isInFourOfFive: true,
});

/**
 * The engine's goals beside the other systems. Lateness has its targets in the rows `lateness-*`: of the hand-off alone,
 * beside raw Redis and a Stream, and of the committed effect.
 */
export const goals: readonly Goal[] = [
  ...toRaw('schedule', 0.44, 0.35),
  ...toRaw('reschedule', 0.25, 0.21),
  ...toRaw('shift', 0.24, 0.21),
  ...toRaw('cancel', 0.24, 0.23),
  ...[ON_WHEEL, ON_REDIS].flatMap((ours) => ['schedule', 'bulk'].map((figure) => toBullMq(figure, 1, ours))),
  // Its move costs 33 us; Postgres alone takes 22 to 25 of ours.
  toBullMq('reschedule', 0.8, ON_WHEEL),
  toBullMq('reschedule', 0.7, ON_REDIS),
  {
    title: 'reschedule >= 0.6 x BullMQ, which promises less',
    figure: 'reschedule',
    against: { contender: BULLMQ },
    atLeast: 0.6,
    of: [ON_WHEEL],
    isInFourOfFive: true,
  },
  {
    title: 'burst, last effect <= 5 x raw Redis + Stream, last begins',
    figure: 'burstDurable',
    against: { contender: RAW_STREAM, figure: 'burstBegan' },
    atMost: 5,
  },
  { title: 'Redis memory <= 200 B a timer, ten an owner', figure: 'redisBytes', atMost: 200, of: [ON_REDIS] },
  ...['stale', 'again', 'doubled', 'ignored', 'lost', 'early', FAILED].map((figure) => ({
    title: `race, ${figure}: none`,
    figure,
    atMost: 0,
  })),
];

interface Asked {
  readonly goal: Goal;
  readonly contender: string;
  readonly pending: number;
}

export interface Judged extends Asked {
  /** A ratio if the goal has `against`. Undefined: not measured. */
  readonly found: Spread | undefined;
  readonly isReached: boolean;
}

/**
 * The goals with so many waiting timers. The median is judged, with four rounds of five where the goal asks for them,
 * and each round where nothing at all is allowed. Goals beside a contender that does not run with so many timers are
 * left out, and those of a figure that the record is too old for.
 */
export const judgeGoals = (measurements: readonly Measurement[], pending: number): readonly Judged[] => {
  const present = new Set(measurements.flatMap((each) => (each.pending === pending ? [each.contender] : [])));
  const isCounted = measurements.some((each) => each.pending === pending && each.figures[FAILED] !== undefined);
  const isAsked = ({ figure, against }: Goal): boolean =>
    (against === undefined || present.has(against.contender)) && (figure !== FAILED || isCounted);
  return goals
    .filter(isAsked)
    .flatMap((goal) =>
      (goal.of ?? [ON_WHEEL, ON_REDIS]).map((contender) => judge(measurements, { goal, contender, pending })),
    );
};

const judge = (measurements: readonly Measurement[], { goal, contender, pending }: Asked): Judged => {
  const { figure, against, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = goal;
  const own = valuesOf(measurements, { contender, pending, figure });
  const values =
    against === undefined
      ? own
      : ratiosOf(
          own,
          valuesOf(measurements, { contender: against.contender, pending, figure: against.figure ?? figure }),
        );
  const found = spreadOfValues(values);
  const reaches = (value: number): boolean => value >= atLeast && value <= atMost;
  // A pair whose other half broke has no ratio: it counts as missed, too.
  const share = [...values.values()].filter(reaches).length / own.size;
  const leastShare = atMost === 0 ? 1 : goal.isInFourOfFive === true ? 0.8 : 0;
  const isOften = goal.isInFourOfFive !== true || own.size >= LEAST_PAIRS;
  // A round that broke has no figure: it counts as missed, not as no round.
  const isBroken = measurements.some(
    (each) =>
      each.contender === contender &&
      each.pending === pending &&
      (each.failed !== undefined || (figure.startsWith('burst') && (each.figures.burstMissing ?? 0) > 0)),
  );
  const isReached = found !== undefined && !isBroken && isOften && reaches(found.median) && share >= leastShare;
  return { goal, contender, pending, found, isReached };
};

export interface Ahead {
  readonly figure: string;
  readonly peer: string;
  /** The better one of ours. */
  readonly ours: string;
  /** How many times better the peer is, by the median. */
  readonly times: number;
}

/** Every figure in which a product beats the better one of ours. */
export const peersAhead = (measurements: readonly Measurement[], pending: number): readonly Ahead[] =>
  [...rates, ...lateness, ...costs].flatMap(({ key, title, unit }) => {
    const medianOf = (contender: string): number | undefined =>
      spreadOfValues(valuesOf(measurements, { contender, pending, figure: key }))?.median;
    const ranked = (sort: 'ours' | 'peer') =>
      contenders
        .filter((each) => each.sort === sort)
        .flatMap(({ name }) => {
          const median = medianOf(name);
          // A contender uses no bytes in a store that it does not use.
          if (median === undefined || (unit === 'B' && median < LEAST_BYTES)) return [];
          return { name, goodness: unit === '/s' ? median : 1 / median };
        });
    const ours = ranked('ours').sort((left, right) => right.goodness - left.goodness)[0];
    if (ours === undefined) return [];
    return ranked('peer')
      .filter(({ goodness }) => goodness > ours.goodness)
      .map(({ name, goodness }) => ({ figure: title, peer: name, ours: ours.name, times: goodness / ours.goodness }));
  });

const LEAST_BYTES = 20;
