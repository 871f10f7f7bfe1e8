import fc from 'fast-check';
import { readOptions } from '../shared/options/read-options.ts';
import { fields, value, whole } from '../shared/options/shapes.ts';
import type { Catalogue } from '../shared/pets/catalogue.ts';
import { parseRules } from '../shared/pets/rules-file.ts';
import { historyArbitraryOf } from './arbitraries.ts';
import type { World } from './law.ts';
import { lawsOfTheLog } from './laws-of-the-log.ts';
import { lawsOfTime } from './laws-of-time.ts';

export interface Violation {
  /** The law, as a sentence. */
  readonly law: string;
  /** The smallest history found that breaks it, with fast-check's seed and path. */
  readonly counterexample: string;
}

/**
 * Tries all laws of the rules on a game's own rules, each on so many random histories. Returns the broken laws. It
 * takes a few seconds by default.
 */
export const checkRules = (catalogue: Catalogue, options: TrialOptions = {}): readonly Violation[] => {
  const { runs = 100, seed } = readOptions(checkRulesArguments, { catalogue, options }, 'checkRules').options;
  const rules = parseRules(catalogue);
  if (!rules.ok) return [{ law: 'the rules are right in a rules file too', counterexample: rules.error.join('\n') }];
  const world = worldOf(rules.value);
  return [...lawsOfTheLog, ...lawsOfTime].flatMap((law) => {
    const counterexample = law.counterexample(world, runs, seed);
    return counterexample === undefined ? [] : { law: law.title, counterexample };
  });
};

export interface TrialOptions {
  /** The number of histories for each law. Default: 100. */
  readonly runs?: number;
  /** Repeats the histories of the run that printed it, with the same `runs`. Default: new ones each time. */
  readonly seed?: number;
}

export const runOptions = {
  runs: whole({ min: 1, max: 1_000_000 }).optional(),
  seed: whole({ min: -(2 ** 31), max: 2 ** 31 - 1 }).optional(),
};

interface CheckRulesArguments {
  readonly catalogue: Catalogue;
  readonly options: TrialOptions;
}

export const checkRulesArguments = fields<CheckRulesArguments>({
  catalogue: value(
    (given) =>
      ['foods', 'cards', 'limits'].every((part) => typeof (given as Catalogue | null)?.[part as 'foods'] === 'object'),
    'give the catalogue of a game: `pets(rules).catalogue`',
  ),
  options: fields<TrialOptions>(runOptions),
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
