import { type Difference, differencesOf } from '../../../shared/differences.ts';
import { jsonFlaw } from '../../../shared/json-flaw.ts';
import { ok, type Result, refused } from '../../../shared/result.ts';
import type { Modules } from '../../domain/modules.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import type { RulesStore, RulesVersion } from '../model/rules-store.ts';
import { readWithItems } from './rules.ts';

/** Bytes of the JSON. */
const LARGEST = 1_000_000;
const MOST_VERSIONS = 10_000;
const SHORTEST_MS = 1000;

export interface RulesOrder {
  readonly module: string;
  readonly config: unknown;
  /** The version that was in force when the order was written; 0: none. */
  readonly expectedVersion: number;
  readonly by: string;
  readonly reason: string;
  /** The caller rolls back, so a dry run may be repeated without waiting. */
  readonly isDryRun?: boolean | undefined;
}

/** The versions before and after a change, and the differences of their configs. */
export interface RulesChanged {
  readonly before: RulesVersion | undefined;
  readonly after: RulesVersion;
  readonly differences: readonly Difference[];
}

/** The reason why rules are not changed: a code `rules/...` and its params. */
export interface RulesRefusal {
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface On {
  /** The modules with the configs that the start gave. */
  readonly modules: Modules;
  readonly store: Pick<RulesStore, 'lock' | 'nowMs' | 'add'>;
}

const no = (code: string, params: RulesRefusal['params']): Result<never, RulesRefusal> => refused({ code, params });

/** Reads a config strictly: returns all faults at once, each with its place. */
export const checkConfig = (
  modules: Modules,
  name: string,
  config: unknown,
): Result<readonly string[], RulesRefusal> => {
  const module = modules.configurable.find((one) => one.name === name);
  if (!module) return no('rules/no-config', { module: name, modules: modules.configurable.map((one) => one.name) });
  const flaw = jsonFlaw(config);
  if (flaw) return no('rules/refused', { module: name, faults: [`${flaw.path || 'rules'}: ${flaw.message}`] });
  const bytes = Buffer.byteLength(JSON.stringify(config));
  if (bytes > LARGEST) return no('rules/too-large', { module: name, bytes, most: LARGEST });
  const read = readWithItems(module, config);
  return read.ok ? ok(read.items) : no('rules/refused', { module: name, faults: read.faults });
};

/** Makes a new version of a module's rules inside a transaction: in force from its commit on. */
export const changeRules = async (
  { modules, store }: On,
  tx: Tx,
  order: RulesOrder,
): Promise<Result<RulesChanged, RulesRefusal>> => {
  const { module, config, expectedVersion } = order;
  const checked = checkConfig(modules, module, config);
  if (!checked.ok) return checked;
  const before = await store.lock(tx, module);
  const version = before?.version ?? 0;
  if (version !== expectedVersion) return no('rules/changed', { module, version, expectedVersion });
  const limit = before && !order.isDryRun && limitOf(before, await store.nowMs(tx));
  if (limit) return no(limit.code, { module, ...limit.params });
  const after = await store.add(tx, { ...order, items: checked.value, source: 'operator' });
  return ok({ before, after, differences: differencesOf(before?.config ?? {}, config) });
};

const limitOf = (newest: RulesVersion, nowMs: number): RulesRefusal | undefined => {
  if (newest.version >= MOST_VERSIONS) return { code: 'rules/too-many', params: { most: MOST_VERSIONS } };
  // Right after a start an operator may change what it gave.
  if (newest.source === 'file') return undefined;
  const retryAfterMs = newest.atMs + SHORTEST_MS - nowMs;
  // A clock that was put back must not stop changes until it has caught up.
  return retryAfterMs > 0 && retryAfterMs <= SHORTEST_MS
    ? { code: 'rules/too-often', params: { retryAfterMs } }
    : undefined;
};
