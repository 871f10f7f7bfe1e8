import type { Spread } from '../../harness/spread.ts';
import { BULLMQ, contenders, RAW_REDIS, RAW_STREAM } from '../measure/contenders.ts';
import type { Measurement } from '../measure/measurement.ts';
import { costs, lateness, rates, ratioOf, spreadOfValues, valuesOf } from './figures.ts';

export interface Goal {
  readonly title: string;
  readonly figure: string;
  /** Whose figure, by default the same one, it is divided by. */
  readonly against?: { readonly contender: string; readonly figure?: string };
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Only of these. */
  readonly of?: string;
}

const toRaw = (figure: string, atLeast: number): Goal => ({
  title: `${figure} >= ${atLeast} x raw Redis`,
  figure,
  against: { contender: RAW_REDIS },
  atLeast,
});
const aboveBullMq = (figure: string): Goal => ({
  title: `${figure} above BullMQ`,
  figure,
  against: { contender: BULLMQ },
  atLeast: 1,
});

/** What the engine is to reach beside the others. */
export const goals: readonly Goal[] = [
  ...[toRaw('schedule', 0.5), aboveBullMq('schedule'), toRaw('bulk', 0.4), aboveBullMq('bulk')],
  ...[toRaw('reschedule', 0.35), aboveBullMq('reschedule'), toRaw('shift', 0.35)],
  ...[toRaw('cancel', 0.3), aboveBullMq('cancel')],
  {
    title: 'begins late p99 <= 2.5 x raw Redis + Stream',
    figure: 'beganP99',
    against: { contender: RAW_STREAM },
    atMost: 2.5,
  },
  { title: 'effect late p99 <= 8 ms', figure: 'durableP99', atMost: 8 },
  {
    title: 'burst, last effect <= 5 x raw Redis + Stream, last begins',
    figure: 'burstDurable',
    against: { contender: RAW_STREAM, figure: 'burstBegan' },
    atMost: 5,
  },
  { title: 'Redis memory <= 200 B a timer, ten an owner', figure: 'redisBytes', atMost: 200, of: 'Kibble on Redis' },
  ...['stale', 'again', 'doubled', 'ignored', 'lost', 'early'].map((figure) => ({
    title: `race, ${figure}: none`,
    figure,
    atMost: 0,
  })),
];

export interface Judged {
  readonly goal: Goal;
  readonly contender: string;
  readonly pending: number;
  /** A ratio where the goal has an `against`. Undefined: not measured. */
  readonly found: Spread | undefined;
  readonly isReached: boolean;
}

/** By the median, except where nothing at all is allowed. */
export const judgeGoals = (measurements: readonly Measurement[], pending: number): readonly Judged[] =>
  goals.flatMap((goal) =>
    contenders
      .filter(({ name, sort }) => sort === 'ours' && (goal.of ?? name) === name)
      .map(({ name: contender }) => {
        const { figure, against, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = goal;
        const values = valuesOf(measurements, { contender, pending, figure });
        const found =
          against === undefined
            ? spreadOfValues(values)
            : ratioOf(
                values,
                valuesOf(measurements, {
                  contender: against.contender,
                  pending,
                  figure: against.figure ?? figure,
                }),
              );
        const judged = atMost === 0 ? found?.max : found?.median;
        const isReached = judged !== undefined && judged >= atLeast && judged <= atMost;
        return { goal, contender, pending, found, isReached };
      }),
  );

export interface Ahead {
  readonly figure: string;
  readonly peer: string;
  /** Ours that is best at it. */
  readonly ours: string;
  /** How many times better the peer is, in the median. */
  readonly times: number;
}

/** Every figure in which a product is better than the better one of ours. */
export const whoIsAhead = (measurements: readonly Measurement[], pending: number): readonly Ahead[] =>
  [...rates, ...lateness, ...costs].flatMap(({ key, title, unit }) => {
    const medianOf = (contender: string): number | undefined =>
      spreadOfValues(valuesOf(measurements, { contender, pending, figure: key }))?.median;
    const ranked = (sort: 'ours' | 'peer') =>
      contenders
        .filter((each) => each.sort === sort)
        .flatMap(({ name }) => {
          const median = medianOf(name);
          // In a store that it does not use, a contender takes nothing.
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
