import { differencesOf } from '../../../shared/differences.ts';
import type { OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import type { OpsRulesVersion } from '../../../shared/ops/ops-rules.ts';
import { ok } from '../../../shared/result.ts';
import type { Modules } from '../../domain/modules.ts';
import type { RulesInForce } from '../../home/model/rules-in-force.ts';
import type { RulesStore, RulesVersion } from '../../home/model/rules-store.ts';
import { changeRules, type RulesRefusal } from '../../home/rules/change-rules.ts';
import type { Handles, OpsCall, OpsResult } from '../perform/ops-call.ts';
import { opsRefusal } from '../perform/ops-call.ts';
import { type AuditStore, perform } from '../perform/perform.ts';

export interface RulesSources {
  readonly inForce: RulesInForce;
  readonly store: RulesStore;
  /** Modules with an operator's change in force instead of the config of this start. */
  readonly waiting: () => readonly string[];
}

interface Dependencies {
  readonly modules: Modules;
  readonly rules: RulesSources;
  readonly audit: AuditStore;
}

const FEW = 20;

export const rulesActs = {
  rules: async ({ modules: started, rules: { store, inForce, waiting } }) => {
    const { versions } = await store.at(await store.newest());
    const modules = versions.map((version) => ({
      ...shown(version),
      isUnreadable: inForce.current.named(version.module)?.isUnreadable ?? false,
      isFileWaiting: waiting().includes(version.module) && !isOfStart(started, version),
    }));
    return ok({ modules });
  },

  rulesOf: async ({ rules: { store } }, { parts: { module }, input: { version } }) => {
    const [newest] = await store.history(module, 1);
    if (!newest) return opsRefusal('rules/no-config', { module });
    const found = version === undefined ? newest : await store.version(module, version);
    if (!found) return opsRefusal('rules/unknown-version', { module, version });
    return ok({ ...shown(found), config: found.config, isInForce: found.version === newest.version });
  },

  rulesHistory: async ({ rules: { store } }, { parts: { module }, input: { before, limit = FEW } }) => {
    const versions = await store.history(module, limit, before);
    return ok({
      versions: versions.map(shown),
      nextBefore: versions.length < limit ? undefined : versions.at(-1)?.version,
    });
  },

  replaceRules: (on, { input: { config, expectedVersion, ...write }, ...call }) =>
    change(on, { ...call, write, action: 'change-rules', body: { config, expectedVersion } }, async () => ok(config)),

  rollBackRules: (on, { input: { version, expectedVersion, ...write }, ...call }) =>
    change(on, { ...call, write, action: 'roll-back-rules', body: { version, expectedVersion } }, async (module) => {
      const found = await on.rules.store.version(module, version);
      return found ? ok(found.config) : opsRefusal('rules/unknown-version', { module, version });
    }),
} satisfies Handles<Dependencies>;

interface Change extends Pick<OpsCall<'replaceRules'>, 'operator' | 'parts'> {
  readonly write: OpsWrite;
  readonly action: string;
  readonly body: { readonly expectedVersion: number; readonly [field: string]: unknown };
}

const change = async (
  { modules, rules: { store, inForce }, audit }: Dependencies,
  { operator, parts: { module }, write, action, body }: Change,
  configOf: (module: string) => Promise<OpsResult<unknown>>,
): Promise<OpsResult<OpsAnswers['replaceRules']>> => {
  const target = `rules:${module}`;
  return perform(audit, { actor: operator.name, action, target, write, body }, async (tx) => {
    const config = await configOf(module);
    if (!config.ok) return config;
    const { expectedVersion } = body;
    const { reason, dryRun: isDryRun } = write;
    const order = { module, config: config.value, expectedVersion, by: operator.name, reason, isDryRun };
    const changed = await changeRules({ modules, store }, tx, order);
    if (!changed.ok) return refusalOf(changed.error);
    const { before, after, differences } = changed.value;
    return ok({
      before: before && { version: before.version },
      after: { version: after.version },
      answer: { version: after.version, differences },
      // Other processes find the rules themselves; this one loads them before the caller goes on.
      afterCommit: () => inForce.load(after.number),
    });
  });
};

/** The message names each fault, for callers that do not read params. */
const refusalOf = ({ code, params }: RulesRefusal): OpsResult<never> => {
  const refusal = opsRefusal(code, params);
  if (!Array.isArray(params.faults)) return refusal;
  const message = [`${refusal.error.message}:`, ...params.faults.map((fault) => `  - ${fault}`)].join('\n');
  return { ok: false, error: { ...refusal.error, message } };
};

/** Whether it is what the start gave: an operator may have applied it since. */
const isOfStart = ({ configurable }: Modules, { module, config }: RulesVersion): boolean => {
  const given = configurable.find(({ name }) => name === module)?.given;
  return given !== undefined && differencesOf(config, given.json).length === 0;
};

const shown = ({ module, version, source, by, reason, atMs }: RulesVersion): OpsRulesVersion => ({
  ...{ module, version, source },
  ...{ by, reason, atMs },
});
