import type { z } from 'zod';
import type { Sql } from '../host-rows.ts';
import type { Items } from '../items.ts';
import { readContract, readRules } from './check-module.ts';
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
  /** `[a-z][a-z0-9-]*`. The log has it, so it cannot be changed later. */
  readonly name: Name;
  /** The version of things and events. Default 1. */
  readonly version?: number;
  /** JSON: no `Date`, no `undefined` in an array. */
  readonly thing: z.core.$ZodType<Thing, object>;
  /** The thing that `evolve` gets for a new id. */
  readonly initial: NoInfer<Thing>;
  /** Items that its rules use, fixed or by the config. */
  readonly items?: readonly string[] | ((config: z.output<NoInfer<Config>>) => readonly string[]);
  /**
   * Values that a designer may change while the game runs: numbers, prices, names, as in a file of rules. Rules that
   * decide get them as `config`. Their values are copied into events, so started work ends as it was ordered.
   */
  readonly config?: Config;
  /** Faults that the schema does not find, each as `path: what is wrong`. It gets any JSON, even if the schema found faults. */
  readonly configFaults?: (json: unknown) => readonly string[];
  readonly events: Events;
  readonly commands: Commands;
  /** Commands that only the game's own server may give. */
  readonly serverOnly?: readonly Key<NoInfer<Commands>>[];
  /** The most things of a player. Default 1,000. */
  readonly maxThings?: number;
  readonly wire?: Wire;
}

/**
 * The rules. All are pure except `inTransaction`: no clock, no random, no promise. Only `decide`, `open`, `renew`,
 * `starter`, `limit`, `shift` and `stop` get the config: for the other rules its values were copied into events.
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
  /** The thing's next due time, from the thing alone. Undefined: it rests or waits. */
  readonly dueAtMs?: (thing: Thing) => number | undefined;
  /** The events at the due time: at least one. */
  readonly complete?: (turn: Turn<Thing> & ByChance) => Drafts<Events>;
  /** Since when the thing waits; of several waiting things the earliest goes on first. */
  readonly waitingSinceMs?: (thing: Thing) => number | undefined;
  /** The events that end its waiting; none: it goes on waiting. No chance: a draw must not decide whether a thing goes on. */
  readonly goOn?: (turn: Turn<Thing>) => Drafts<Events>;
  /** Items of a new player. */
  readonly starter?: (config: Config) => Items;
  /** First events of a new player. An older player gets them once, with the next accepted command. */
  readonly open?: (scene: Scene<Thing> & ByConfig<Config> & ByChance) => Drafts<Events>;
  /**
   * Lets things that go on by themselves adopt the config in force: called with each accepted command of the player. No
   * events for things that have its values already.
   */
  readonly renew?: (scene: Scene<Thing> & ByConfig<Config>) => Drafts<Events>;
  /** An operator moves the due time by `byMs`, never before now. */
  readonly shift?: (turn: OperatorTurn<Thing, Config> & { readonly byMs: number }) => Drafts<Events> | Refusal;
  /** An operator stops the thing's run. */
  readonly stop?: (turn: OperatorTurn<Thing, Config>) => Drafts<Events> | Refusal;
  /**
   * A thing of another home arrives in a merge: `thing` in its state there, under `id`. Without this rule the thing
   * keeps its id, or stays behind if the id is taken.
   */
  readonly arrive?: (turn: Turn<Thing> & { readonly newId: string }) => Drafts<Events>;
  /** The thing's run until it is due. A new run needs a new name, which operators use. Default: the thing's id. */
  readonly run?: (thing: Thing, id: string) => string;
  /** The thing's name for operators. */
  readonly title?: (thing: Thing) => string;
  /** Words for things and events, for operators. Default: names and fields. */
  readonly words?: WordsByLanguage<Key<Events>>;
  /** The most things that rules give a player. A merge may exceed it: then operators see it. */
  readonly limit?: (config: Config) => number;
  /** More fields of a command's reply, from its events alone. */
  readonly reply?: (events: readonly HappenedOf<Events>[]) => object;
  /**
   * Writes the game's own rows in the homes' transaction, for up to some hundred players at once; not for a quote. An
   * error rolls back; throw `RefusedByHost` for one player. Called again only if the transaction failed.
   */
  readonly inTransaction?: (tx: Sql, changes: readonly Changed<Thing, Events>[]) => Promise<void>;
  /** Ids of things: a quote's `doneAt` is the time when they have nothing more to do. From the command's events alone. */
  readonly doneOf?: (events: readonly HappenedOf<Events>[]) => readonly string[];
  /** Reads things and events of older versions. */
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
    /** For a module with a config: its first version, or the one of a file. */
    readonly given?: GivenConfig<z.output<Config>>;
  };

/** `defineModule`: with a config, or without. */
export interface DefineModule {
  /** With a config: `rules` returns a function of the config. It throws `RulesRefused` with all faults. */
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
 * A module in two steps, so that TypeScript knows the contract before the rules. Throws `OptionsRefused` with all
 * faults of names and fields, and missing rules.
 */
export const defineModule = ((given: AnyModule) => {
  const contract = readContract(given);
  return {
    rules: (rules: object) => {
      // A rule that is undefined replaces that of the contract's module.
      const module = { ...contract, ...rules, ...readRules(contract, rules) };
      return contract.config ? (json: unknown) => ({ ...module, given: configOf(module, json) }) : module;
    },
  };
}) as DefineModule;

/** A thing of the module, for rules and clients. */
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

/** An event of the module, for clients. */
export type EventOf<M extends AnyModule> = {
  [Type in Key<M['events']>]: Flat<
    { readonly v: number; readonly commandId?: string; readonly type: EventType<M, Type> } & {
      readonly [Field in ThingField<M>]: string;
    } & Omit<Happened<M['events'], Type>, 'type' | 'thing'>
  >;
}[Key<M['events']>];
/** The messages that a client may send, by name, without `commandId`. */
export type MessagesOf<M extends AnyModule> = {
  [Type in Key<M['commands']> as `${MessagePrefix<M>}:${Type}`]: z.input<M['commands'][Type]>;
};
