import type { z } from 'zod';
import { frozenCopy } from '../frozen.ts';
import { callGameNow, textAt, textOf } from '../game-code.ts';
import { jsonFlaw } from '../json-flaw.ts';
import { firstOf } from '../options/options-refused.ts';
import { ok, type Result, refused } from '../result.ts';
import { faultLines, shortLine } from '../rule-shapes.ts';
import { readBySchema } from './read-by-schema.ts';

/** The rules of the game have faults (`rules/refused`), or may not be changed: `code` and `params` say why. */
export class RulesRefused extends Error {
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Each as `path: what is wrong`; of more than 1,000 the last says how many are left out. The message has the first 20. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[], code = 'rules/refused', params: RulesRefused['params'] = {}) {
    const why = code === 'rules/refused' ? '' : ` (${code} ${JSON.stringify(params)})`;
    super(`the rules are refused${why}:\n${firstOf(faults)}`);
    this.name = 'RulesRefused';
    this.code = code;
    this.params = params;
    this.faults = faults;
  }
}

/** A module's config as it was given, and as its schema reads it. Both are copies, and frozen. */
export interface GivenConfig<Config = unknown> {
  readonly json: unknown;
  readonly config: Config;
}

/** The fields of a module that concern its config. */
export interface Configurable {
  readonly name: string;
  readonly config?: z.core.$ZodType;
  readonly configFaults?: (json: unknown) => readonly string[];
}

const MOST_FAULTS = 1000;

/** Reads a module's config from JSON. Returns all faults at once, each as `path: what is wrong`. */
export const readModuleConfig = (module: Configurable, json: unknown): Result<GivenConfig, readonly string[]> => {
  const { name, config: schema } = module;
  if (!schema) return refused([`rules: the module ${name} has no config`]);
  try {
    // Also where the schema has a default for undefined: the rules in force are stored as JSON.
    if (json === undefined) return refused(['rules: is undefined: give {} for the defaults']);
    const flaw = jsonFlaw(json);
    if (flaw) return refused([shortLine(`${flaw.path || 'rules'}: ${flaw.message}`)]);
    const own = frozenCopy(json);
    const read = callGameNow(`config of the module ${name}`, () => readBySchema(schema, own));
    const between = faultsByModule(module, json);
    const issues = read.success ? [] : read.error.issues;
    if (read.success && between.count === 0) return ok({ json: own, config: frozenCopy(read.data) });
    const lines = [...firstLines(issues), ...between.first].map(shortLine);
    if (lines.length <= MOST_FAULTS && between.count <= MOST_FAULTS) return refused(lines);
    // An issue has at least one fault.
    const left = Math.max(1, issues.length + between.count - MOST_FAULTS);
    return refused([...lines.slice(0, MOST_FAULTS), `rules: at least ${left} more faults are left out`]);
  } catch (error) {
    return refused([shortLine(`rules: ${textAt(error, 'message') ?? textOf(error)}`)]);
  }
};

/** One issue, of a list that may be two things, has the faults of all its entries: reads one more than are shown. */
function* firstLines(issues: readonly z.core.$ZodIssue[]): Generator<string> {
  let left = MOST_FAULTS + 1;
  for (const issue of issues) {
    for (const line of faultLines(issue)) {
      yield line;
      left -= 1;
      if (left === 0) return;
    }
  }
}

/** `configFaults` gets a copy, which it may sort or change. */
const faultsByModule = ({ name, configFaults }: Configurable, json: unknown) => {
  const whose = `configFaults of the module ${name}`;
  const found: unknown = callGameNow(whose, () => configFaults?.(structuredClone(json)) ?? []);
  return callGameNow(whose, (): { readonly first: readonly string[]; readonly count: number } => {
    const first: readonly unknown[] | undefined = Array.isArray(found)
      ? Array.from(found.slice(0, MOST_FAULTS))
      : undefined;
    if (Array.isArray(found) && first?.every((fault) => typeof fault === 'string'))
      return { first, count: found.length };
    throw new TypeError('what it returns is no array of texts');
  });
};

/** The same for a start, which faults must end. Throws `RulesRefused`. */
export const configOf = (module: Configurable, json: unknown): GivenConfig => {
  const read = readModuleConfig(module, json);
  if (!read.ok) throw new RulesRefused(read.error);
  return read.value;
};
