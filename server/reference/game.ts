import type { AnyModule } from '../../shared/module/module.ts';
import { petsOfRules } from '../../shared/pets/pets.ts';
import type { WorksCatalogue } from '../../shared/works/rules-file.ts';
import { worksOfRules } from '../../shared/works/works.ts';
import { parseGameRules, TOWN } from '../settings/game-rules.ts';
import { RulesRefused } from '../settings/rules.ts';
import { exampleTown } from './example-town.ts';

/** What the reference game is made of. */
export interface Game {
  readonly modules: readonly AnyModule[];
  /** The rules of its works by the module's name, for pages to show. */
  readonly works: Readonly<Record<string, WorksCatalogue>>;
}

/** The game of a `RULES_FILE`'s content; the example game without one. Throws `RulesRefused` with the faults of all parts. */
export const gameOf = (json: unknown = { works: exampleTown }): Game => {
  const rules = parseGameRules(json);
  if (!rules.ok) throw new RulesRefused(rules.error);
  const { pets, works } = rules.value;
  if (!works) return { modules: [petsOfRules(pets)], works: {} };
  return { modules: [petsOfRules(pets), worksOfRules(TOWN, works)], works: { [TOWN]: works } };
};
