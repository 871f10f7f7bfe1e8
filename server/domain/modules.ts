import { z } from 'zod';
import { isEngineType } from '../../shared/event.ts';
import type { Thing } from '../../shared/home.ts';
import type { Sql } from '../../shared/host-rows.ts';
import type { Items } from '../../shared/items.ts';
import type {
  AnyModule,
  Asked,
  OperatorTurn,
  Refusal,
  Scene,
  Turn,
  WordsByLanguage,
} from '../../shared/module/module.ts';
import { OptionsRefused } from '../../shared/options/options-refused.ts';
import { walledRules } from './module-fault.ts';

/** An event as a rule returned it: not read yet. */
export interface LooseDraft {
  readonly type: string;
  readonly thing: string;
  readonly items?: Items;
  readonly [field: string]: unknown;
}

/** An event as a module's own rules get it: with its own name, and its thing under `thing`. */
export interface OwnEvent {
  readonly type: string;
  readonly thing: string;
  readonly seq: number;
  readonly at: number;
  readonly [field: string]: unknown;
}

export interface LooseChange {
  readonly playerId: string;
  readonly events: readonly OwnEvent[];
  readonly things: Readonly<Record<string, Thing | undefined>>;
}

/** Rules as the engine calls them: by `walledRules`. What it hands in has the types of the module's contract: it was made by this module. */
export interface LooseRules {
  readonly decide: Readonly<Record<string, (asked: Asked<Thing, object>) => readonly LooseDraft[] | Refusal>>;
  readonly evolve: Readonly<Record<string, (thing: Thing, event: OwnEvent) => Thing | undefined>>;
  readonly dueAtMs?: (thing: Thing, id: string) => number | undefined;
  readonly complete?: (turn: Turn<Thing>) => readonly LooseDraft[];
  readonly waitingSinceMs?: (thing: Thing, id: string) => number | undefined;
  readonly goOn?: (turn: Turn<Thing>) => readonly LooseDraft[];
  readonly starter?: () => Items;
  readonly open?: (scene: Scene<Thing>) => readonly LooseDraft[];
  readonly shift?: (turn: OperatorTurn<Thing> & { readonly byMs: number }) => readonly LooseDraft[] | Refusal;
  readonly stop?: (turn: OperatorTurn<Thing>) => readonly LooseDraft[] | Refusal;
  readonly arrive?: (turn: Turn<Thing> & { readonly newId: string }) => readonly LooseDraft[];
  readonly run?: (thing: Thing, id: string) => string;
  readonly title?: (thing: Thing, id: string) => string;
  readonly words?: WordsByLanguage;
  readonly limit?: () => number;
  readonly reply?: (events: readonly OwnEvent[]) => object;
  readonly inTransaction?: (tx: Sql, changes: readonly LooseChange[]) => Promise<void>;
  readonly doneOf?: (events: readonly OwnEvent[]) => readonly string[];
  readonly older?: AnyModule['older'];
}

/** A module with all its names resolved and its shapes read strictly. */
export interface LoadedModule {
  readonly name: string;
  readonly version: number;
  readonly initial: Thing;
  readonly maxThings: number;
  readonly thing: z.core.$ZodType;
  readonly events: ReadonlyMap<string, z.core.$ZodType>;
  readonly commands: ReadonlyMap<string, z.core.$ZodObject>;
  readonly items: readonly string[];
  readonly serverOnly: readonly string[];
  readonly eventPrefix: string;
  readonly messagePrefix: string;
  /** Kind of its timers. */
  readonly timerKind: string;
  /** Its runs are named as no other player's are. */
  readonly hasOwnRuns: boolean;
  /** Field of its events that names the thing. */
  readonly thingField: string;
  readonly runField: string;
  readonly idPrefix: string;
  readonly rules: LooseRules;
}

/** Something of one module, under its own name there. */
export interface OfModule {
  readonly module: LoadedModule;
  readonly own: string;
}

const MOST_THINGS = 1000;

/** Items that no module declares. */
export type GameItems = readonly string[] | 'any';

/** The modules of a game, in the order of their names. Throws `OptionsRefused` where two of them clash. */
export class Modules {
  readonly all: readonly LoadedModule[];
  /** Names of modules that were taken out for good. */
  readonly retired: readonly string[];
  readonly #named: ReadonlyMap<string, LoadedModule>;
  readonly #events = new Map<string, OfModule>();
  readonly #commands = new Map<string, OfModule>();
  readonly #items: Set<string> | undefined;

  /** `items`: those that the game itself declares; `any` where it keeps all items in an inventory of its own. */
  constructor(modules: readonly AnyModule[], retired: readonly string[] = [], items: GameItems = []) {
    this.all = modules.map(loaded).sort((one, other) => (one.name < other.name ? -1 : 1));
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

  /** The module whose timers are of this kind. */
  ofTimer(kind: string): LoadedModule | undefined {
    return this.all.find(({ timerKind }) => timerKind === kind);
  }

  /** Names of all commands that players may send. */
  get playerCommands(): readonly string[] {
    return [...this.#commands].flatMap(([type, { module, own }]) => (module.serverOnly.includes(own) ? [] : [type]));
  }

  /** The module of each command, also of those that only the game's own server gives; of the engine's own: `home`. */
  get commandModules(): ReadonlyMap<string, string> {
    const own = [...this.#commands].map(([type, { module }]) => [type, module.name] as const);
    return new Map([...own, ['home:grant', 'home'], ['home:take', 'home']]);
  }

  /** Also of retired modules: whatever is still scheduled there is too much. */
  get timerKinds(): readonly string[] {
    return [...this.all.map(({ timerKind }) => timerKind), ...this.retired];
  }

  /** The module whose events have names of their own: the oldest. */
  get oldest(): LoadedModule | undefined {
    return this.all.find(({ eventPrefix }) => eventPrefix === '');
  }

  /** Some module, or the game, declares the item. */
  uses(item: string): boolean {
    return this.#items?.has(item) ?? true;
  }

  /** Whether an event of this type says nothing any more: it is of a module that was taken out for good. */
  isRetired(type: string): boolean {
    return this.retired.includes(type.slice(0, Math.max(0, type.indexOf('/'))));
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

/** Messages that are the engine's. */
const ENGINE_COMMANDS = ['grant', 'take', 'quote', 'sync', 'time', 'events', 'things', 'reply', 'rejected'].map(
  (own) => `home:${own}`,
);

const clash = ({ name }: LoadedModule, what: string, type: string): OptionsRefused =>
  refused(`modules.${name}`, `has the ${what} ${type}, which another one or the engine has`, 'rename it');

const refused = (path: string, what: string, remedy: string): OptionsRefused =>
  new OptionsRefused('Kibble', [{ path, code: 'options/invalid', what, remedy }]);

const loaded = (module: AnyModule): LoadedModule => {
  const { name, wire = {} } = module;
  return {
    name,
    version: module.version ?? 1,
    initial: module.initial,
    maxThings: module.maxThings ?? MOST_THINGS,
    thing: module.thing,
    events: strictOf(module.events),
    commands: strictOf(module.commands),
    items: module.items ?? [],
    serverOnly: module.serverOnly ?? [],
    eventPrefix: wire.events ?? `${name}/`,
    messagePrefix: wire.messages ?? name,
    timerKind: wire.timer ?? name,
    hasOwnRuns: wire.timer !== undefined,
    thingField: wire.thing ?? 'thing',
    runField: wire.run ?? 'run',
    idPrefix: wire.ids ?? name.slice(0, 1),
    // The one place where types are forgotten: a module only ever gets what it made itself.
    rules: walledRules(module) as unknown as LooseRules,
  };
};

/** Fields that the schema doesn't know are faults: a misspelt one would be lost without a word. */
const strictOf = (shapes: AnyModule['events']): ReadonlyMap<string, z.core.$ZodObject> =>
  new Map(
    Object.entries(shapes).map(([own, schema]) => [
      own,
      z.core.clone(schema, { ...schema._zod.def, catchall: z.never() }),
    ]),
  );
