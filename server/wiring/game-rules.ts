import { type Difference, differencesOf } from '../../shared/differences.ts';
import { moduleName } from '../../shared/module/check-module.ts';
import { RulesRefused } from '../../shared/module/config.ts';
import type { OpsRules, OpsRulesChanged, OpsRulesVersion } from '../../shared/ops/ops-rules.ts';
import { data } from '../../shared/options/json-data.ts';
import { readOptions } from '../../shared/options/read-options.ts';
import { fields, textUpTo, whole } from '../../shared/options/shapes.ts';
import type { Modules } from '../domain/modules.ts';
import type { RulesInForce } from '../home/model/rules-in-force.ts';
import { checkConfig } from '../home/rules/change-rules.ts';
import type { OpsHandlers } from '../ops/ops.ts';
import type { OpsResult } from '../ops/perform/ops-call.ts';

/** `by` and `reason` are shown in the history and the audit. */
export interface OrderedRules {
  readonly module: string;
  /** The version that was in force when the order was written; if it has changed, `rules/changed`. */
  readonly expectedVersion: number;
  /** A repeated order is done once. */
  readonly commandId: string;
  readonly by: string;
  readonly reason: string;
}

export interface ReplaceRules extends OrderedRules {
  /** JSON for the module's schema. */
  readonly config: unknown;
}

export interface RollBackRules extends OrderedRules {
  readonly version: number;
}

/** The check of a config. */
export interface CheckedRules {
  /** All faults at once, each as `path: what is wrong`; none: the config would be accepted. */
  readonly faults: readonly string[];
  /** Compared with the config in force, both as they were given. */
  readonly differences: readonly Difference[];
}

/** The dependencies of `GameRules`. */
export interface GameRulesOn {
  readonly modules: Modules;
  readonly inForce: RulesInForce;
  readonly handlers: Pick<OpsHandlers, 'rulesOf' | 'rulesHistory' | 'replaceRules' | 'rollBackRules'>;
}

const version = whole({ min: 0, max: 10_000 });
const ordered = {
  module: moduleName,
  expectedVersion: version,
  commandId: textUpTo(64),
  by: textUpTo(128),
  reason: textUpTo(500),
};

/** The arguments of the calls. */
export const rulesCalls = {
  current: fields({ module: moduleName }),
  config: fields({ module: moduleName }),
  history: fields({
    module: moduleName,
    options: fields({ limit: whole({ min: 1, max: 100 }).optional(), before: version.optional() }),
  }),
  check: fields({ module: moduleName, config: data }),
  replace: fields<ReplaceRules>({ ...ordered, config: data }),
  rollBack: fields<RollBackRules>({ ...ordered, version }),
};

/**
 * The rules of modules with a config: read, checked, and changed while the game runs. A change is in force from its
 * commit on, on every server. Started work ends as ordered. Calls throw `OptionsRefused` for invalid arguments.
 */
export class GameRules {
  readonly #on: GameRulesOn;

  constructor(dependencies: GameRulesOn) {
    this.#on = dependencies;
  }

  /** The config in force, read by the module's schema. Undefined: there is none, or this process cannot read it. */
  config(module: string): unknown {
    const read = readOptions(rulesCalls.config, { module }, 'config');
    const found = this.#on.inForce.current.named(read.module);
    return found?.isUnreadable ? undefined : found?.config;
  }

  /** The version in force with its config as it was given. Throws `RulesRefused` (`rules/no-config`). */
  async current(module: string): Promise<OpsRules> {
    readOptions(rulesCalls.current, { module }, 'current');
    return done(await this.#on.handlers.rulesOf({ ...callBy('game', module), input: {} }));
  }

  /** Newest first, default 20; `before` is the last version of the previous page. */
  async history(
    module: string,
    options: { readonly limit?: number; readonly before?: number } = {},
  ): Promise<readonly OpsRulesVersion[]> {
    const read = readOptions(rulesCalls.history, { module, options }, 'history');
    const call = { ...callBy('game', read.module), input: read.options };
    return done(await this.#on.handlers.rulesHistory(call)).versions;
  }

  /** The faults and the differences of a config. Changes nothing. */
  async check(module: string, given: unknown): Promise<CheckedRules> {
    const { config } = readOptions(rulesCalls.check, { module, config: given }, 'check');
    const checked = checkConfig(this.#on.modules, module, config);
    if (!checked.ok && checked.error.code !== 'rules/refused') throw refusedAs(checked.error);
    const { config: before } = await this.current(module);
    const faults = checked.ok ? [] : faultsIn(checked.error.params);
    return { faults, differences: differencesOf(before, config) };
  }

  /**
   * Makes a new version. Throws `RulesRefused` and does nothing: with all `faults` at once, or with the code
   * `rules/changed` and the `version` in force, `rules/too-often`, `rules/too-many`, `rules/too-large`.
   */
  async replace(order: ReplaceRules): Promise<OpsRulesChanged> {
    const { module, by, ...input } = readOptions(rulesCalls.replace, order, 'replace');
    return done(await this.#on.handlers.replaceRules({ ...callBy(by, module), input })).answer;
  }

  /** Makes an older version's config a new version. Refused as `replace`, also if the present schema rejects it. */
  async rollBack(order: RollBackRules): Promise<OpsRulesChanged> {
    const { module, by, ...input } = readOptions(rulesCalls.rollBack, order, 'rollBack');
    return done(await this.#on.handlers.rollBackRules({ ...callBy(by, module), input })).answer;
  }
}

const callBy = (name: string, module: string) => ({
  operator: { name, role: 'admin' as const },
  parts: { playerId: '', timerId: '', jobId: '', kind: '', module },
});

const done = <Answer>(result: OpsResult<Answer>): Answer => {
  if (result.ok) return result.value;
  throw refusedAs(result.error);
};

const refusedAs = ({
  code,
  params,
}: {
  readonly code: string;
  readonly params: RulesRefused['params'];
}): RulesRefused => new RulesRefused(faultsIn(params), code, params);

const faultsIn = ({ faults }: RulesRefused['params']): readonly string[] => (Array.isArray(faults) ? faults : []);
