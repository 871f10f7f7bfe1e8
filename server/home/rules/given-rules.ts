import { differencesOf } from '../../../shared/differences.ts';
import type { AnyModule } from '../../../shared/module/module.ts';
import type { Modules } from '../../domain/modules.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import type { RulesStore } from '../model/rules-store.ts';
import { readWithItems } from './rules.ts';

interface On {
  readonly modules: Modules;
  readonly store: Pick<RulesStore, 'lock' | 'wasFile' | 'add'>;
  /** `file`: the config of a start is always in force. Default: an operator's change stays. */
  readonly rulesFrom: 'file' | 'operator' | undefined;
  readonly log: EngineLog;
}

/**
 * Registers the configs that a start gave. A config with new content becomes a version. If an operator changed the
 * rules, the log shows the differences until an operator applies it. Returns the modules with another config in force.
 */
export const registerGiven = async (on: On, tx: Tx): Promise<readonly string[]> => {
  const waiting: string[] = [];
  for (const module of on.modules.configurable) if (!(await register(on, tx, module))) waiting.push(module.name);
  return waiting;
};

/** False: other rules are in force. */
const register = async ({ modules, store, rulesFrom, log }: On, tx: Tx, module: AnyModule): Promise<boolean> => {
  const { name, given } = module;
  if (!given) return true;
  const newest = await store.lock(tx, name);
  const differences = newest ? differencesOf(newest.config, given.json) : undefined;
  const add = async (): Promise<true> => {
    const read = readWithItems(module, given.json);
    const items = read.ok ? read.items : (modules.named(name)?.items ?? []);
    const version = await store.add(tx, {
      ...{ module: name, config: given.json, items, source: 'file' },
      ...{ by: 'start', reason: 'given at a start' },
    });
    log.info({ code: 'rules/version', module: name, version: version.version }, 'rules that a start gave are in force');
    return true;
  };
  if (!newest || !differences) return add();
  const { version, source, by, reason } = newest;
  log.info({ code: 'rules/in-force', module: name, version, source, by, reason }, 'rules in force');
  if (differences.length === 0) return true;
  if (rulesFrom === 'file') return add();
  const wasGiven = await store.wasFile(tx, name, given.json);
  if (source === 'file' && !wasGiven) return add();
  const why = source === 'file' ? 'newer ones that a start gave are' : "an operator's change is";
  const remedy = "apply them, or start with rulesFrom: 'file'";
  log.warn(
    { code: 'rules/not-applied', module: name, version, differences: differences.slice(0, MOST_SHOWN) },
    `the rules of ${name} that this start gave are not in force, ${why}: ${remedy}`,
  );
  return false;
};

const MOST_SHOWN = 20;
