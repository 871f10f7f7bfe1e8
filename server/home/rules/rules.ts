import { callGameNow, isA } from '../../../shared/game-code.ts';
import { type GivenConfig, readModuleConfig } from '../../../shared/module/config.ts';
import type { AnyModule } from '../../../shared/module/module.ts';
import { itemsBy } from '../../domain/loaded-module.ts';
import type { Modules } from '../../domain/modules.ts';
import type { EngineLog } from '../../runtime/engine-log.ts';
import type { OnRules, RulesInForce } from '../model/rules-in-force.ts';
import type { RulesStore, RulesVersion } from '../model/rules-store.ts';

/** Transactions that read their number a moment ago may still need earlier rules. */
const MOST_KNOWN = 8;

interface Dependencies {
  /** The modules with the configs that the start gave. */
  readonly modules: Modules;
  readonly store: Pick<RulesStore, 'newest' | 'at'>;
  readonly log: EngineLog;
}

/**
 * The rules in force, as this process knows them. A transaction reads their number together with its clock, so no
 * message is needed for a command to use them. If a number is unknown here, its rules are read and the batch is
 * retried.
 */
export class LoadedRules implements RulesInForce {
  readonly #on: Dependencies;
  readonly #known = new Map<number, Modules>();
  /** By module and version: the configs of the last loaded number. */
  #read: ReadonlyMap<string, GivenConfig | undefined> = new Map();
  readonly #listeners = new Set<OnRules>();
  #current: Modules;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    this.#current = dependencies.modules;
    this.#known.set(0, dependencies.modules);
  }

  get current(): Modules {
    return this.#current;
  }

  at(number: number): Modules | undefined {
    return this.#known.get(number);
  }

  async load(number: number): Promise<void> {
    if (this.#known.has(number)) return;
    const { modules, store } = this.#on;
    const { versions, items } = await store.at(number);
    const read = versions.map((one) => [one, this.#configOf(one)] as const);
    this.#read = new Map(read.map(([one, config]) => [keyOf(one), config]));
    const configs = new Map(read.map(([{ module }, config]) => [module, config]));
    const numbers = new Map(versions.map(({ module, version }) => [module, version]));
    const loaded = modules.by({ number, configs, versions: numbers, items });
    this.#known.set(number, loaded);
    for (const old of [...this.#known.keys()].slice(0, -MOST_KNOWN)) this.#known.delete(old);
    const before = this.#current;
    if (number < before.rulesNumber) return;
    this.#current = loaded;
    const changed = loaded.all
      .filter(({ name, rulesVersion }) => before.named(name)?.rulesVersion !== rulesVersion)
      .map(({ name, rulesVersion }) => ({ module: name, version: rulesVersion }));
    for (const listener of [...this.#listeners]) this.#call(listener, changed);
  }

  /** For a loop: reads new rules even without a command, so that clients learn of them. */
  readonly tick = async (): Promise<number> => {
    await this.load(await this.#on.store.newest());
    return CHECK_EVERY_MS;
  };

  /** Returns the unsubscriber. */
  onRules(listener: OnRules): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Undefined: this process cannot read it. A module that is missing here needs no config. */
  #configOf(of: RulesVersion): GivenConfig | undefined {
    const { module: name, version, config } = of;
    const module = this.#on.modules.configurable.find((one) => one.name === name);
    if (!module || this.#read.has(keyOf(of))) return this.#read.get(keyOf(of));
    const read = readWithItems(module, config);
    if (!read.ok) {
      const what = `cannot read version ${version} of the rules of ${name}: a newer process wrote it, or this release refuses what an older one accepted`;
      this.#on.log.error({ code: 'rules/unreadable', module: name, version, faults: read.faults }, what);
    }
    return read.ok ? read.value : undefined;
  }

  /** A listener may be a game's: its error must not fail the batch that read the rules. */
  #call(listener: OnRules, changed: Parameters<OnRules>[0]): void {
    try {
      callGameNow('listener of onRules', () => listener(changed));
    } catch (error) {
      this.#on.log.error({ err: error }, 'a listener of rules failed');
    }
  }
}

const CHECK_EVERY_MS = 500;

const keyOf = ({ module, version }: RulesVersion): string => `${module} ${version}`;

type ReadRules =
  | { readonly ok: true; readonly value: GivenConfig; readonly items: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Reads a config, and the module's items under it. */
export const readWithItems = (module: AnyModule, json: unknown): ReadRules => {
  const read = readModuleConfig(module, json);
  if (!read.ok) return { ok: false, faults: read.error };
  try {
    return { ok: true, value: read.value, items: itemsBy(module, read.value.config) };
  } catch (error) {
    if (!isA(error, Error)) throw error;
    return { ok: false, faults: [`rules: ${error.message}`] };
  }
};
