import { isEngineType } from '../../shared/event.ts';
import type { AnyModule } from '../../shared/module/module.ts';
import { OptionsRefused } from '../../shared/options/options-refused.ts';
import { AS_GIVEN, type LoadedModule, loaded, type NumberedRules } from './loaded-module.ts';

export type * from './loaded-module.ts';

/** A name of one module, as the module itself calls it. */
export interface OfModule {
  readonly module: LoadedModule;
  readonly own: string;
}

/** Items that no module declares. */
export type GameItems = readonly string[] | 'any';

/** The modules of a game, sorted by name. Throws `OptionsRefused` if two of them clash. */
export class Modules {
  readonly all: readonly LoadedModule[];
  /** Names of modules that were removed for good. */
  readonly retired: readonly string[];
  readonly #named: ReadonlyMap<string, LoadedModule>;
  readonly #events = new Map<string, OfModule>();
  readonly #commands = new Map<string, OfModule>();
  readonly #items: Set<string> | undefined;
  readonly #known: ReadonlySet<string>;
  readonly #given: readonly [modules: readonly AnyModule[], retired: readonly string[], items: GameItems];
  readonly rulesNumber: number;

  /** `items`: the items that the game declares; `any` if its own inventory has all items. */
  constructor(
    modules: readonly AnyModule[],
    retired: readonly string[] = [],
    items: GameItems = [],
    rules: NumberedRules = AS_GIVEN,
  ) {
    this.#given = [modules, retired, items];
    this.rulesNumber = rules.number;
    this.#known = new Set(rules.items);
    this.all = modules.map((module) => loaded(module, rules)).sort((one, other) => (one.name < other.name ? -1 : 1));
    this.retired = retired;
    this.#named = new Map(this.all.map((module) => [module.name, module]));
    const twice = this.all.find(({ name }, at) => this.all[at + 1]?.name === name);
    if (twice) throw refused(`modules named ${twice.name}`, 'are two', 'use each name once');
    const back = retired.find((name) => this.#named.has(name));
    if (back) throw refused(`retired module ${back}`, 'is in use', 'take it out of one of the lists');
    this.#items = items === 'any' ? undefined : new Set(items);
    for (const module of this.all) this.#add(module);
  }

  named(name: string): LoadedModule | undefined {
    return this.#named.get(name);
  }

  ofEvent(type: string): OfModule | undefined {
    return this.#events.get(type);
  }

  ofCommand(type: string): OfModule | undefined {
    return this.#commands.get(type);
  }

  ofTimer(kind: string): LoadedModule | undefined {
    return this.all.find(({ timerKind }) => timerKind === kind);
  }

  /** The names of all commands that players may send. */
  get playerCommands(): readonly string[] {
    return [...this.#commands].flatMap(([type, { module, own }]) => (module.serverOnly.includes(own) ? [] : [type]));
  }

  /** The module of each command, also of commands that only the game's own server gives; `home` for the engine's own. */
  get commandModules(): ReadonlyMap<string, string> {
    const own = [...this.#commands].map(([type, { module }]) => [type, module.name] as const);
    return new Map([...own, ['home:grant', 'home'], ['home:take', 'home']]);
  }

  /** Also of retired modules: their scheduled timers are surplus. */
  get timerKinds(): readonly string[] {
    return [...this.all.map(({ timerKind }) => timerKind), ...this.retired];
  }

  /** The oldest module: its events have no prefix. */
  get oldest(): LoadedModule | undefined {
    return this.all.find(({ eventPrefix }) => eventPrefix === '');
  }

  /** Whether a module or the game declares the item under the rules in force. */
  uses(item: string): boolean {
    // As the name of a field it sets the prototype instead.
    return item !== '__proto__' && (this.#items?.has(item) ?? true);
  }

  /** Whether any rules, present or past, declare the item: players may still have it. */
  knows(item: string): boolean {
    return this.uses(item) || this.#known.has(item);
  }

  /** The same modules under these rules. */
  by(rules: NumberedRules): Modules {
    return new Modules(...this.#given, rules);
  }

  /** The modules with a config, as the start gave them. */
  get configurable(): readonly AnyModule[] {
    return this.#given[0].filter(({ config }) => config !== undefined);
  }

  /**
   * The module, removed for good, that wrote an event of this type; `opened`: the modules that have opened the home. A
   * type without a prefix is of the oldest module, unless that one is here or may be missing by mistake.
   */
  retiredOf(type: string, opened: readonly string[]): string | undefined {
    const at = type.indexOf('/');
    if (at !== -1) return this.retired.find((name) => name === type.slice(0, at));
    if (this.oldest || opened.some((name) => !this.#named.has(name) && !this.retired.includes(name))) return undefined;
    return this.retired.find((name) => opened.includes(name)) ?? this.retired[0];
  }

  #add(module: LoadedModule): void {
    for (const own of module.events.keys()) {
      const type = module.eventPrefix + own;
      if (this.#events.has(type) || isEngineType(type)) throw clash(module, 'event', type);
      this.#events.set(type, { module, own });
    }
    for (const own of module.commands.keys()) {
      const type = `${module.messagePrefix}:${own}`;
      if (this.#commands.has(type) || ENGINE_COMMANDS.includes(type)) throw clash(module, 'command', type);
      this.#commands.set(type, { module, own });
    }
    if (this.timerKinds.filter((kind) => kind === module.timerKind).length > 1) {
      throw clash(module, 'timer kind', module.timerKind);
    }
    for (const item of module.items) this.#items?.add(item);
  }
}

/** Messages of the engine itself. */
const ENGINE_COMMANDS = ['grant', 'take', 'quote', 'sync', 'time', 'events', 'things', 'reply', 'rejected'].map(
  (own) => `home:${own}`,
);

const clash = ({ name }: LoadedModule, what: string, type: string): OptionsRefused =>
  refused(`modules.${name}`, `has the ${what} ${type}, which another one or the engine has`, 'rename it');

const refused = (path: string, what: string, remedy: string): OptionsRefused =>
  new OptionsRefused('Kibble', [{ path, code: 'options/invalid', what, remedy }]);
