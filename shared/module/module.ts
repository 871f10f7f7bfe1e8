import type { z } from 'zod';
import type { Sql } from '../host-rows.ts';
import type { Items } from '../items.ts';
import { checkContract, checkRules } from './check-module.ts';
import { configOf, type GivenConfig } from './config.ts';
import type {
  Asked,
  ByChance,
  ByConfig,
  Changed,
  Drafts,
  Flat,
  Happened,
  HappenedOf,
  Key,
  OperatorTurn,
  Refusal,
  Scene,
  Shapes,
  Turn,
} from './scene.ts';
import type { WordsByLanguage } from './words.ts';

export type { Counters } from '../home.ts';
export { RefusedByHost, type Sql } from '../host-rows.ts';
export type { Items } from '../items.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../options/options-refused.ts';
export type { RefusalCode } from '../result.ts';
export type { AnyModule, Wire } from './any-module.ts';
export { type GivenConfig, RulesRefused } from './config.ts';
export type * from './scene.ts';
export type * from './words.ts';

import type { AnyModule, Wire } from './any-module.ts';

/** The schema of a module without a config. */
export type NoConfig = z.core.$ZodUndefined;

/** The names and shapes of a module. */
export interface Contract<
  Name extends string,
  Thing extends object,
  Events extends Shapes,
  Commands extends Shapes,
  Config extends z.core.$ZodType = NoConfig,
> {
  /** `[a-z][a-z0-9-]*`. It is in the log: it can't be changed later. */
  readonly name: Name;
  /** Of things and events. Default 1. */
  readonly version?: number;
  /** JSON: no `Date`, no `undefined` in an array. */
  readonly thing: z.core.$ZodType<Thing, object>;
  /** What `evolve` gets for a thing that isn't there yet. */
  readonly initial: NoInfer<Thing>;
  /** Items that its rules use, or those that they use by a config. */
  readonly items?: readonly string[] | ((config: z.output<NoInfer<Config>>) => readonly string[]);
  /**
   * What a designer may change while the game runs: numbers, prices, names, as a file of rules has them. Rules that decide
   * get it as `config`. What they order is copied into events, so what is under way ends as it was ordered.
   */
  readonly config?: Config;
  /** Faults that the schema does not find, each as `path: what is wrong`. Asked of any JSON, also where the schema found faults. */
  readonly configFaults?: (json: unknown) => readonly string[];
  readonly events: Events;
  readonly commands: Commands;
  /** Commands of the game's own server alone. */
  readonly serverOnly?: readonly Key<NoInfer<Commands>>[];
  /** Most things of a player. Default 1,000. */
  readonly maxThings?: number;
  readonly wire?: Wire;
}

/**
 * What happens when. All pure but `inTransaction`: no clock, no random, no promise. Only `decide`, `open`, `renew`,
 * `starter`, `limit`, `shift` and `stop` get the config: what the others need was copied into events.
 */
export interface Rules<Thing extends object, Events extends Shapes, Commands extends Shapes, Config = undefined> {
  readonly decide: {
    readonly [Type in Key<Commands>]: (
      asked: Asked<Thing, z.output<Commands[Type]>, Config>,
    ) => Drafts<Events> | Refusal;
  };
  /** The thing after the event; undefined removes it. */
  readonly evolve: {
    readonly [Type in Key<Events>]: (thing: Thing, event: Happened<Events, Type>) => Thing | undefined;
  };
  /** When something happens to the thing next, of the thing alone. Undefined: it rests or waits. */
  readonly dueAtMs?: (thing: Thing) => number | undefined;
  /** What happens then: one event or more. */
  readonly complete?: (turn: Turn<Thing> & ByChance) => Drafts<Events>;
  /** Since when the thing waits; of several that wait the earliest goes on first. */
  readonly waitingSinceMs?: (thing: Thing) => number | undefined;
  /** What ends its waiting; nothing: it waits on. It has no chance: whether a thing goes on must not depend on a draw. */
  readonly goOn?: (turn: Turn<Thing>) => Drafts<Events>;
  /** Items that a new player begins with. */
  readonly starter?: (config: Config) => Items;
  /** What a new player begins with; one from before the module gets it with the next accepted command, once. */
  readonly open?: (scene: Scene<Thing> & ByConfig<Config> & ByChance) => Drafts<Events>;
  /**
   * What goes on by itself takes the numbers of the config in force: asked with each accepted command of the player. None for
   * what has them already.
   */
  readonly renew?: (scene: Scene<Thing> & ByConfig<Config>) => Drafts<Events>;
  /** An operator moves the due time by `byMs`, never before now. */
  readonly shift?: (turn: OperatorTurn<Thing, Config> & { readonly byMs: number }) => Drafts<Events> | Refusal;
  /** An operator ends what the thing does. */
  readonly stop?: (turn: OperatorTurn<Thing, Config>) => Drafts<Events> | Refusal;
  /**
   * A thing of another home arrives, which is merged into this one: `thing` as it was there under `id`. Without it the
   * thing keeps its id, or stays behind where that is taken.
   */
  readonly arrive?: (turn: Turn<Thing> & { readonly newId: string }) => Drafts<Events>;
  /** What the thing does until it is due; what begins anew gets another name, by which operators ask for it. Default: its id. */
  readonly run?: (thing: Thing, id: string) => string;
  /** What operators read as its name. */
  readonly title?: (thing: Thing) => string;
  /** What operators read of things and events. Default: names and fields. */
  readonly words?: WordsByLanguage<Key<Events>>;
  /** How many things the rules let a player get. A merge may bring more: then operators are told. */
  readonly limit?: (config: Config) => number;
  /** More fields of a command's reply, from its events alone. */
  readonly reply?: (events: readonly HappenedOf<Events>[]) => object;
  /**
   * Writes the game's own rows in the transaction that saves the homes, up to some hundred players at once; not in a quote.
   * What it throws rolls back; throw `RefusedByHost` for one player. Called again only where the transaction failed.
   */
  readonly inTransaction?: (tx: Sql, changes: readonly Changed<Thing, Events>[]) => Promise<void>;
  /** Ids of things: a quote says as `doneAt` when they have nothing more to do. From the command's events alone. */
  readonly doneOf?: (events: readonly HappenedOf<Events>[]) => readonly string[];
  /** Reads things and events that an older version wrote. */
  readonly older?: {
    thing(state: unknown, version: number): unknown;
    event(body: unknown, type: string, version: number): unknown;
  };
}

export type Module<
  Name extends string,
  Thing extends object,
  Events extends Shapes,
  Commands extends Shapes,
  Config extends z.core.$ZodType = NoConfig,
> = Contract<Name, Thing, Events, Commands, Config> &
  Rules<Thing, Events, Commands, z.output<Config>> & {
    /** Of a module with a config: its first version, or that of a file. */
    readonly given?: GivenConfig<z.output<Config>>;
  };

/** `defineModule`: with a config, or without. */
export interface DefineModule {
  /** With a config: what `rules` returns makes the module of one. It throws `RulesRefused` with all faults of that. */
  <
    const Name extends string,
    Thing extends object,
    Events extends Shapes,
    Commands extends Shapes,
    Config extends z.core.$ZodType,
  >(
    contract: Contract<Name, Thing, Events, Commands, Config> & { readonly config: Config },
  ): {
    rules(
      rules: Rules<Thing, Events, Commands, z.output<Config>>,
    ): (config: z.input<Config>) => Module<Name, Thing, Events, Commands, Config>;
  };
  <const Name extends string, Thing extends object, Events extends Shapes, Commands extends Shapes>(
    contract: Contract<Name, Thing, Events, Commands>,
  ): { rules(rules: Rules<Thing, Events, Commands>): Module<Name, Thing, Events, Commands> };
}

/**
 * A module in two steps, so that TypeScript knows the contract before it reads the rules.
 * Throws `OptionsRefused` with all that is wrong with names and fields, and with rules that are missing.
 */
export const defineModule = ((contract: AnyModule) => {
  checkContract(contract);
  return {
    rules: (rules: object) => {
      checkRules(contract, rules);
      const module = { ...contract, ...rules };
      return contract.config ? (json: unknown) => ({ ...module, given: configOf(module, json) }) : module;
    },
  };
}) as DefineModule;

/** A thing of the module, as rules and clients see it. */
export type ThingOf<M extends AnyModule> = M['initial'];
/** Names on the wire: the module's own, or older ones in `wire`. */
export type MessagePrefix<M> = M extends { readonly wire: { readonly messages: infer Known extends string } }
  ? Known
  : M extends { readonly name: infer Name extends string }
    ? Name
    : string;
export type EventType<M, Type extends string> = M extends { readonly wire: { readonly events: '' } }
  ? Type
  : M extends { readonly name: infer Name extends string }
    ? `${Name}/${Type}`
    : string;
export type ThingField<M> = M extends { readonly wire: { readonly thing: infer Field extends string } }
  ? Field
  : 'thing';

/** An event of the module, as a client hears it. */
export type EventOf<M extends AnyModule> = {
  [Type in Key<M['events']>]: Flat<
    { readonly v: number; readonly commandId?: string; readonly type: EventType<M, Type> } & {
      readonly [Field in ThingField<M>]: string;
    } & Omit<Happened<M['events'], Type>, 'type' | 'thing'>
  >;
}[Key<M['events']>];
/** What a client may send, by message name, without `commandId`. */
export type MessagesOf<M extends AnyModule> = {
  [Type in Key<M['commands']> as `${MessagePrefix<M>}:${Type}`]: z.input<M['commands'][Type]>;
};
