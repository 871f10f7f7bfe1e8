import { z } from 'zod';
import { frozenCopy } from '../../shared/frozen.ts';
import { callGameNow, handleRejections } from '../../shared/game-code.ts';
import type { Counters, Thing } from '../../shared/home.ts';
import type { Sql } from '../../shared/host-rows.ts';
import type { Items } from '../../shared/items.ts';
import type { GivenConfig } from '../../shared/module/config.ts';
import type {
  AnyModule,
  Asked,
  ByChance,
  ByConfig,
  OperatorTurn,
  Refusal,
  Scene,
  Turn,
  WordsByLanguage,
} from '../../shared/module/module.ts';
import { isText } from '../../shared/text.ts';
import { walledRules } from './module-fault.ts';

/** An event as a rule returned it, not checked yet. */
export interface LooseDraft {
  readonly type: string;
  readonly thing: string;
  readonly items?: Items;
  readonly counters?: Counters;
  readonly [field: string]: unknown;
}

/** An event as a module's own rules see it: with its own name, and its thing under `thing`. */
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

/** Rules as the engine calls them, through `walledRules`. This module made the arguments, so they have the contract's types. */
export interface LooseRules {
  readonly decide: Readonly<Record<string, (asked: Asked<Thing, object, unknown>) => readonly LooseDraft[] | Refusal>>;
  readonly evolve: Readonly<Record<string, (thing: Thing, event: OwnEvent) => Thing | undefined>>;
  readonly dueAtMs?: (thing: Thing, id: string) => number | undefined;
  readonly complete?: (turn: Turn<Thing> & ByChance) => readonly LooseDraft[];
  readonly waitingSinceMs?: (thing: Thing, id: string) => number | undefined;
  readonly goOn?: (turn: Turn<Thing>) => readonly LooseDraft[];
  readonly starter?: (config: unknown) => Items;
  readonly open?: (scene: Scene<Thing> & ByConfig<unknown> & ByChance) => readonly LooseDraft[];
  readonly renew?: (scene: Scene<Thing> & ByConfig<unknown>) => readonly LooseDraft[];
  readonly shift?: (turn: OperatorTurn<Thing, unknown> & { readonly byMs: number }) => readonly LooseDraft[] | Refusal;
  readonly stop?: (turn: OperatorTurn<Thing, unknown>) => readonly LooseDraft[] | Refusal;
  readonly arrive?: (turn: Turn<Thing> & { readonly newId: string }) => readonly LooseDraft[];
  readonly run?: (thing: Thing, id: string) => string;
  readonly title?: (thing: Thing, id: string) => string;
  readonly words?: WordsByLanguage;
  readonly limit?: (config: unknown) => number;
  readonly reply?: (events: readonly OwnEvent[]) => object;
  readonly inTransaction?: (tx: Sql, changes: readonly LooseChange[]) => Promise<void>;
  readonly doneOf?: (events: readonly OwnEvent[]) => readonly string[];
  readonly older?: AnyModule['older'];
}

/** A module with all names resolved and strict schemas. */
export interface LoadedModule {
  readonly name: string;
  readonly version: number;
  readonly initial: Thing;
  readonly maxThings: number;
  readonly thing: z.core.$ZodType;
  readonly events: ReadonlyMap<string, z.core.$ZodType>;
  readonly commands: ReadonlyMap<string, z.core.$ZodObject>;
  /** Items that its rules use under its config. */
  readonly items: readonly string[];
  /** The config of the rules in force; undefined: the module has none. */
  readonly config: unknown;
  /** This process cannot read the rules in force, because a newer process wrote them. Until then the module decides nothing. */
  readonly isUnreadable: boolean;
  /** Version of the rules in force; 0: the config that the start gave. */
  readonly rulesVersion: number;
  readonly serverOnly: readonly string[];
  readonly eventPrefix: string;
  readonly messagePrefix: string;
  readonly timerKind: string;
  /** The names of its runs are unique among all players. */
  readonly hasOwnRuns: boolean;
  /** The field of its events that names the thing. */
  readonly thingField: string;
  readonly runField: string;
  readonly idPrefix: string;
  readonly rules: LooseRules;
}

/** The configs of all modules at one number of the rules. */
export interface NumberedRules {
  /** 0: each module has the config that the start gave. */
  readonly number: number;
  /** By module; undefined: this process cannot read it. Missing: the config that the start gave. */
  readonly configs: ReadonlyMap<string, GivenConfig | undefined>;
  /** By module. Missing: the config that the start gave. */
  readonly versions: ReadonlyMap<string, number>;
  /** Items of all versions, since players may still have them. */
  readonly items: readonly string[];
}

export const AS_GIVEN: NumberedRules = { number: 0, configs: new Map(), versions: new Map(), items: [] };

const MOST_THINGS = 1000;

/** Resolves names and schemas of a module under these rules. */
export const loaded = (module: AnyModule, { configs, versions }: NumberedRules): LoadedModule => {
  const { name, wire = {} } = module;
  const isUnreadable = configs.has(name) && !configs.get(name);
  const { config } = configs.get(name) ?? module.given ?? {};
  return {
    name,
    version: module.version ?? 1,
    initial: frozenCopy(module.initial),
    maxThings: module.maxThings ?? MOST_THINGS,
    thing: module.thing,
    events: strictOf(module.events),
    commands: strictOf(module.commands),
    items: itemsBy(module, config),
    config,
    isUnreadable,
    rulesVersion: versions.get(name) ?? 0,
    serverOnly: module.serverOnly ?? [],
    eventPrefix: wire.events ?? `${name}/`,
    messagePrefix: wire.messages ?? name,
    timerKind: wire.timer ?? name,
    hasOwnRuns: wire.timer !== undefined,
    thingField: wire.thing ?? 'thing',
    runField: wire.run ?? 'run',
    idPrefix: wire.ids ?? name.slice(0, 1),
    // The one place that drops types: a module only ever receives values that it made itself.
    rules: walledRules(module) as unknown as LooseRules,
  };
};

export const itemsBy = ({ name, items = [] }: AnyModule, config: unknown): readonly string[] => {
  if (typeof items !== 'function') return items;
  const whose = `items of the module ${name}`;
  const named: unknown = callGameNow(whose, () => items(config as never));
  return callGameNow(whose, (): readonly string[] => {
    if (Array.isArray(named) && named.every(isText)) return named;
    handleRejections(named);
    throw new TypeError('what it returns is no array of texts');
  });
};

/** An unknown field is a fault: otherwise a misspelt field would be lost silently. */
const strictOf = (shapes: AnyModule['events']): ReadonlyMap<string, z.core.$ZodObject> =>
  new Map(
    Object.entries(shapes).map(([own, schema]) => [
      own,
      z.core.clone(schema, { ...schema._zod.def, catchall: z.never() }),
    ]),
  );
