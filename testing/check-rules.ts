import fc from 'fast-check';
import type { Catalogue } from '../shared/pets/catalogue.ts';
import { historyArbitraryOf } from './arbitraries.ts';
import type { World } from './law.ts';
import { lawsOfTheLog } from './laws-of-the-log.ts';
import { lawsOfTime } from './laws-of-time.ts';

export interface Violation {
  /** The law, as a sentence. */
  readonly law: string;
  /** The smallest history that was found to break it, with fast-check's seed and path. */
  readonly counterexample: string;
}

/**
 * Tries all laws of the rules on a game's own rules, each on so many random histories; returns those that do not hold.
 * A few seconds with the default.
 */
export const checkRules = (catalogue: Catalogue, { runs = 100 } = {}): readonly Violation[] =>
  [...lawsOfTheLog, ...lawsOfTime].flatMap((law) => {
    const counterexample = law.counterexample(worldOf(catalogue), runs);
    return counterexample === undefined ? [] : { law: law.title, counterexample };
  });

const worldOf = (catalogue: Catalogue): World => {
  const longestMs = Math.max(1, ...Object.values(catalogue.foods).map(({ workMs }) => workMs));
  const unitMs = Math.ceil(longestMs / 12);
  const times = Object.values(catalogue.cards).map((card) => (card.effect === 'repeat' ? card.times : 1));
  return {
    catalogue: fc.constant(catalogue),
    laterCatalogue: fc.constant(catalogue),
    history: historyArbitraryOf({ unitMs, maxSteps: 40 }),
    unitMs,
    restMs: longestMs * (catalogue.limits.autoFeedsPerPet * Math.max(1, ...times) + 2),
  };
};
