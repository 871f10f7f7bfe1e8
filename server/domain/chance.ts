import type { Chance } from '../../shared/module/module.ts';

/** The inputs of the draws in one life of a player's id. */
export interface Seed {
  /** 53 bits derived from these fields with the installation's secret; always the same. */
  readonly bits: (fields: readonly string[]) => number;
  readonly epoch: string;
  /** How many times the id was erased before. */
  readonly life: number;
  /** A quote draws under another label, so that it does not reveal future draws. Default: `draw`. */
  readonly label?: 'quote';
  /** Called with each draw. */
  readonly drew?: (place: DrawPlace) => void;
}

/** The call of a rule that may draw. */
export interface DrawPlace {
  readonly playerId: string;
  readonly module: string;
  readonly rule: string;
  /** Empty for a rule that concerns no thing. */
  readonly thing: string;
  readonly nextSeq: number;
}

/** All inputs of a draw, in this order. */
export const fieldsOf = (seed: Seed, place: DrawPlace, number: number): readonly string[] => [
  seed.label ?? 'draw',
  seed.epoch,
  place.playerId,
  `${seed.life}`,
  place.module,
  place.rule,
  place.thing,
  `${place.nextSeq}`,
  `${number}`,
];

const RANGE = 2 ** 53;
const MOST_DRAWS = 1000;

/** The chance of one call of a rule. */
export interface Drawing {
  readonly chance: Chance;
  readonly hasDrawn: () => boolean;
  /** Ends the call: a rule that kept `chance` cannot draw with it any more. */
  readonly end: () => void;
}

/** Without a seed, as in a tool that replays a log, a draw is a fault. */
export const drawingOf = (seed: Seed | undefined, place: DrawPlace): Drawing => {
  let draws = 0;
  let number = 0;
  let isOver = false;
  const bits = (): number => {
    if (!seed) throw new TypeError('there is no chance here: nothing can be drawn');
    number += 1;
    return seed.bits(fieldsOf(seed, place, number));
  };
  const begin = (): void => {
    if (isOver) throw new TypeError('it draws when its call is over: chance is of one call');
    draws += 1;
    if (draws > MOST_DRAWS) throw new RangeError(`it draws more than ${MOST_DRAWS} times in one call`);
    seed?.drew?.(place);
  };
  /** A plain remainder would favour low numbers, so bits beyond the last whole multiple are drawn again. */
  const below = (count: number): number => {
    for (;;) {
      const drawn = bits();
      if (drawn < RANGE - (RANGE % count)) return drawn % count;
    }
  };
  return {
    chance: {
      fraction: () => {
        begin();
        return bits() / RANGE;
      },
      whole: (from, to) => {
        begin();
        const count = to - from + 1;
        if (![from, to, count].every(Number.isSafeInteger) || count < 1) {
          throw new RangeError(`chance.whole(${from}, ${to}): give whole numbers from <= to, less than 2^53 apart`);
        }
        return from + below(count);
      },
      pick: (of) => {
        begin();
        let left = below(weightOf(of));
        const found = of.find(({ weight }) => {
          left -= weight;
          return left < 0;
        });
        if (!found) throw new RangeError('chance.pick: the weights changed meanwhile');
        return found;
      },
    },
    hasDrawn: () => draws > 0,
    end: () => {
      isOver = true;
    },
  };
};

const weightOf = (of: readonly { readonly weight: number }[]): number => {
  const sum = of.reduce((all, { weight }) => {
    if (Number.isSafeInteger(weight) && weight >= 0) return all + weight;
    throw new RangeError(`chance.pick: the weight ${weight} is no whole number of 0 or more`);
  }, 0);
  if (sum > 0 && Number.isSafeInteger(sum)) return sum;
  throw new RangeError(`chance.pick: the weights sum up to ${sum}: give 1 to 2^53 - 1`);
};
