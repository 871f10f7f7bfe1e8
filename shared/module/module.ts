import type { z } from 'zod';
import type { Sql } from '../host-rows.ts';
import type { Items } from '../items.ts';
import { checkContract, checkRules } from './check-module.ts';
import type {
  Asked,
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

export { RefusedByHost, type Sql } from '../host-rows.ts';
export type { Items } from '../items.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../options/options-refused.ts';
export type { RefusalCode } from '../result.ts';
export type * from './scene.ts';

/** Names that are older than the module. Left out: `<module>:<command>`, `<module>/<event>`, the module's name, `thing`. */
export interface Wire {
  /** Before the colon of a command. */
  readonly messages?: string;
  /** Before an event's own name, with the slash. */
  readonly events?: '';
  /** Kind of the timers. Operators then read the runs as they are, which no two players may share. */
  readonly timer?: string;
  /** Field of an event that says of which thing it is. */
  readonly thing?: string;
  /** Field that names a run, in what operators ask. */
  readonly run?: string;
  /** Before the number of a new id: `<player>~<ids><seq>`. */
  readonly ids?: string;
}

/** The names and shapes of a module. */
export interface Contract<Name extends string, Thing extends object, Events extends Shapes, Commands extends Shapes> {
  /** `[a-z][a-z0-9-]*`. It is in the log: it can't be changed later. */
  readonly name: Name;
  /** Of things and events. Default 1. */
  readonly version?: number;
  /** JSON: no `Date`, no `undefined` in an array. */
  readonly thing: z.core.$ZodType<Thing, object>;
  /** What `evolve` gets for a thing that isn't there yet. */
  readonly initial: NoInfer<Thing>;
  /** Items that its rules use. */
  readonly items?: readonly string[];
  readonly events: Events;
  readonly commands: Commands;
  /** Commands of the game's own server alone. */
  readonly serverOnly?: readonly Key<NoInfer<Commands>>[];
  /** Most things of a player. Default 1,000. */
  readonly maxThings?: number;
  readonly wire?: Wire;
}

/**
 * What happens when. All pure but `inTransaction`: no clock, no random, no promise. Only `decide`, `open`, `starter`, `shift`
 * and `stop` may read rules files: what the others need was copied into events.
 */
export interface Rules<Thing extends object, Events extends Shapes, Commands extends Shapes> {
  readonly decide: {
    readonly [Type in Key<Commands>]: (asked: Asked<Thing, z.output<Commands[Type]>>) => Drafts<Events> | Refusal;
  };
  /** The thing after the event; undefined removes it. */
  readonly evolve: {
    readonly [Type in Key<Events>]: (thing: Thing, event: Happened<Events, Type>) => Thing | undefined;
  };
  /** When something happens to the thing next, of the thing alone. Undefined: it rests or waits. */
  readonly dueAtMs?: (thing: Thing) => number | undefined;
  /** What happens then: one event or more. */
  readonly complete?: (turn: Turn<Thing>) => Drafts<Events>;
  /** Since when the thing waits; of several that wait the earliest goes on first. */
  readonly waitingSinceMs?: (thing: Thing) => number | undefined;
  /** What ends its waiting; nothing: it waits on. */
  readonly goOn?: (turn: Turn<Thing>) => Drafts<Events>;
  /** Items that a new player begins with. */
  readonly starter?: () => Items;
  /** What a new player begins with; one from before the module gets it with the next accepted command, once. */
  readonly open?: (scene: Scene<Thing>) => Drafts<Events>;
  /** An operator moves the due time by `byMs`, never before now. */
  readonly shift?: (turn: OperatorTurn<Thing> & { readonly byMs: number }) => Drafts<Events> | Refusal;
  /** An operator ends what the thing does. */
  readonly stop?: (turn: OperatorTurn<Thing>) => Drafts<Events> | Refusal;
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
  readonly limit?: () => number;
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
> = Contract<Name, Thing, Events, Commands> & Rules<Thing, Events, Commands>;

/**
 * A module in two steps, so that TypeScript knows the contract before it reads the rules.
 * Throws `OptionsRefused` with all that is wrong with names and fields, and with rules that are missing.
 */
export const defineModule = <
  const Name extends string,
  Thing extends object,
  Events extends Shapes,
  Commands extends Shapes,
>(
  contract: Contract<Name, Thing, Events, Commands>,
) => {
  checkContract(contract);
  return {
    rules: (rules: Rules<Thing, Events, Commands>): Module<Name, Thing, Events, Commands> => {
      checkRules(contract, rules);
      return { ...contract, ...rules };
    },
  };
};

/** Any module. Its rules can't be called as they stand: `Modules` does. */
export interface AnyModule {
  readonly name: string;
  readonly version?: number;
  readonly thing: z.core.$ZodType;
  readonly initial: object;
  readonly items?: readonly string[];
  readonly events: Shapes;
  readonly commands: Shapes;
  readonly serverOnly?: readonly string[];
  readonly maxThings?: number;
  readonly wire?: Wire;
  readonly decide: Readonly<Record<string, (asked: never) => readonly object[] | Refusal>>;
  readonly evolve: Readonly<Record<string, (thing: never, event: never) => object | undefined>>;
  readonly dueAtMs?: (thing: never) => number | undefined;
  readonly complete?: (turn: never) => readonly object[];
  readonly waitingSinceMs?: (thing: never) => number | undefined;
  readonly goOn?: (turn: never) => readonly object[];
  readonly starter?: () => Items;
  readonly open?: (scene: never) => readonly object[];
  readonly shift?: (turn: never) => readonly object[] | Refusal;
  readonly stop?: (turn: never) => readonly object[] | Refusal;
  readonly arrive?: (turn: never) => readonly object[];
  readonly run?: (thing: never, id: string) => string;
  readonly title?: (thing: never) => string;
  readonly words?: WordsByLanguage;
  readonly limit?: () => number;
  readonly reply?: (events: never) => object;
  readonly inTransaction?: (tx: Sql, changes: never) => Promise<void>;
  readonly doneOf?: (events: never) => readonly string[];
  readonly older?: {
    thing(state: unknown, version: number): unknown;
    event(body: unknown, type: string, version: number): unknown;
  };
}

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

/**
 * What operators read of a module's things and events in one language. Each text is a template over the fields of the
 * event (or of the thing): `{card}` is a field, `{boost.rate}` one inside another, `[by?, by {by}]` is left out where
 * the field is missing, empty or 0, `[by=card? again]` where it is something else. Names that end in `Ms` are shown as
 * spans, in `At` and `AtMs` as instants. An event without a text is shown with its name and its fields.
 */
export interface Words<Type extends string = string> {
  readonly thing?: string;
  readonly events?: Readonly<Partial<Record<Type, string>>>;
  /** Why it refuses an operator, by code. No templates. */
  readonly refusals?: Readonly<Record<string, string>>;
}

/** By language: `en`, `zh`. Without the reader's language the English ones are shown. */
export type WordsByLanguage<Type extends string = string> = Readonly<Record<string, Words<Type>>>;
