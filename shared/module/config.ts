import { z } from 'zod';
import { callGameNow, isA } from '../game-code.ts';
import { ok, type Result, refused } from '../result.ts';
import { faultLines } from '../rule-shapes.ts';

/** The rules of the game have faults (`rules/refused`), or may not be changed: `code` and `params` say why. */
export class RulesRefused extends Error {
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Each as `path: what is wrong`. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[], code = 'rules/refused', params: RulesRefused['params'] = {}) {
    const why = code === 'rules/refused' ? '' : ` (${code} ${JSON.stringify(params)})`;
    super(`the rules are refused${why}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'RulesRefused';
    this.code = code;
    this.params = params;
    this.faults = faults;
  }
}

/** A module's config as it was given, and as its schema reads it. */
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

/** Reads a module's config from JSON. Returns all faults at once, each as `path: what is wrong`. */
export const readConfig = (module: Configurable, json: unknown): Result<GivenConfig, readonly string[]> => {
  const { name, config: schema, configFaults } = module;
  if (!schema) return refused([`rules: the module ${name} has no config`]);
  try {
    const read = callGameNow(`config of the module ${name}`, () => z.core.safeParse(schema, json));
    const between = callGameNow(`configFaults of the module ${name}`, () => configFaults?.(json) ?? []);
    const faults = [...(read.success ? [] : read.error.issues.flatMap((issue) => faultLines(issue))), ...between];
    return read.success && faults.length === 0 ? ok({ json, config: read.data }) : refused(faults);
  } catch (error) {
    if (!isA(error, Error)) throw error;
    return refused([`rules: ${error.message}`]);
  }
};

/** The same for a start, which faults must end. Throws `RulesRefused`. */
export const configOf = (module: Configurable, json: unknown): GivenConfig => {
  const read = readConfig(module, json);
  if (!read.ok) throw new RulesRefused(read.error);
  return read.value;
};
