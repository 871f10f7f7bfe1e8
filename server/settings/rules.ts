import { moduleName } from '../../shared/module/check-module.ts';
import { RulesRefused } from '../../shared/module/config.ts';
import { readOptions } from '../../shared/options/read-options.ts';
import { anything, fields } from '../../shared/options/shapes.ts';
import { type Catalogue, defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { type Pets, petsOfRules } from '../../shared/pets/pets.ts';
import { parseRules } from '../../shared/pets/rules-file.ts';
import { ok, type Result, refused } from '../../shared/result.ts';
import { parseWorksRules, type WorksCatalogue, type WorksRules } from '../../shared/works/rules-file.ts';
import { type Works, worksNamed } from '../../shared/works/works.ts';

export { RulesRefused };

export interface WorksOptions<Name extends string> {
  readonly name: Name;
  readonly rules: unknown;
}

export const worksOptions = fields<WorksOptions<string>>({ name: moduleName, rules: anything.optional() });

/** The pets with these rules: the module for `createKibble({ modules })`. Throws `RulesRefused` with all faults. */
export const pets = (rules: unknown = {}): Pets => petsOfRules(catalogueOf(rules), rules);

/**
 * Things that follow a file of rules: for `createKibble({ modules })`, under a name of its own. `rules` is a
 * `WorksRules` as JSON. Throws `OptionsRefused` for an invalid name, `RulesRefused` with all faults of the rules.
 */
export const works = <const Name extends string>(options: WorksOptions<Name>): Works<Name> => {
  const { name, rules } = readOptions(worksOptions, options, 'works');
  try {
    return worksNamed(name)(rules as WorksRules);
  } catch (error) {
    if (!(error instanceof RulesRefused)) throw error;
    throw new RulesRefused(error.faults.map((fault) => `${name}: ${fault}`));
  }
};

/** The catalogue of a rules file's content; the default without one. Throws `RulesRefused` with all faults. */
const catalogueOf = (rules: unknown): Catalogue => {
  if (rules === undefined) return defaultCatalogue;
  const parsed = parseRules(rules);
  if (!parsed.ok) throw new RulesRefused(parsed.error);
  return parsed.value;
};

/** The module of the reference game's works. Every player's log names it, so it must stay. */
export const TOWN = 'town';

/** A whole `RULES_FILE`: the rules of pets and of works. Without the part `works` there are no works. */
export interface RulesFile {
  readonly pets: Catalogue;
  readonly works: WorksCatalogue | undefined;
  /** Both parts as in the file. */
  readonly json: { readonly pets: unknown; readonly works: unknown };
}

/** Reads the content of a rules file. Returns the faults of both parts at once; those of the works begin with `works`. */
export const parseRulesFile = (json: unknown): Result<RulesFile, readonly string[]> => {
  const { works: part, rest } = partsOf(json);
  const pets = parseRules(rest);
  const works = part === undefined ? ok(undefined) : parseWorksRules(part);
  if (pets.ok && works.ok) return ok({ pets: pets.value, works: works.value, json: { pets: rest, works: part } });
  return refused([...(pets.ok ? [] : pets.error), ...(works.ok ? [] : works.error.map((fault) => `works: ${fault}`))]);
};

/** Only an object has parts; for anything else the pets' rules report the fault. */
const partsOf = (json: unknown): { readonly works?: unknown; readonly rest: unknown } => {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { rest: json };
  const { works, ...rest } = json as { readonly works?: unknown };
  return { works, rest };
};
