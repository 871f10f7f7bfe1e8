import { type Catalogue, defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { type Pets, petsOfRules } from '../../shared/pets/pets.ts';
import { parseRules } from '../../shared/pets/rules-file.ts';

/** The rules of the game have faults. */
export class RulesRefused extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`the rules are refused:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'RulesRefused';
    this.faults = faults;
  }
}

/** Pets by these rules: the module for `createKibble({ modules })`. Throws `RulesRefused` with all faults. */
export const pets = (rules?: unknown): Pets => petsOfRules(rulesOf(rules));

/** The catalogue of a rules file's content; the default without one. Throws `RulesRefused` with all faults. */
export const rulesOf = (rules: unknown): Catalogue => {
  if (rules === undefined) return defaultCatalogue;
  const parsed = parseRules(rules);
  if (!parsed.ok) throw new RulesRefused(parsed.error);
  return parsed.value;
};
