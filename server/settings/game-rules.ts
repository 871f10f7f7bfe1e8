import type { Catalogue } from '../../shared/pets/catalogue.ts';
import { parseRules } from '../../shared/pets/rules-file.ts';
import { ok, type Result, refused } from '../../shared/result.ts';
import { parseWorksRules, type WorksCatalogue } from '../../shared/works/rules-file.ts';

/** The module of the reference game's works. It is in the log of every player: it stays. */
export const TOWN = 'town';

/** A whole `RULES_FILE`: what the pets eat, and what the works do. Without a part `works` there are none. */
export interface GameRules {
  readonly pets: Catalogue;
  readonly works: WorksCatalogue | undefined;
}

/** Reads the content of a rules file. Returns the faults of both parts at once, those of the works below `works`. */
export const parseGameRules = (json: unknown): Result<GameRules, readonly string[]> => {
  const { works: part, rest } = partsOf(json);
  const pets = parseRules(rest);
  const works = part === undefined ? ok(undefined) : parseWorksRules(part);
  if (pets.ok && works.ok) return ok({ pets: pets.value, works: works.value });
  return refused([...(pets.ok ? [] : pets.error), ...(works.ok ? [] : works.error.map((fault) => `works: ${fault}`))]);
};

/** What is no object has no parts: the pets' rules say so. */
const partsOf = (json: unknown): { readonly works?: unknown; readonly rest: unknown } => {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { rest: json };
  const { works, ...rest } = json as { readonly works?: unknown };
  return { works, rest };
};
