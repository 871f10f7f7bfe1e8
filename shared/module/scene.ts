// What the rules of a module see and return.

import type { z } from 'zod';
import type { Counters } from '../home.ts';
import type { Items } from '../items.ts';
import type { RefusalCode } from '../result.ts';

/** Schemas by name: of events, or of commands. From zod or zod/mini. */
export type Shapes = Readonly<Record<string, z.core.$ZodObject>>;
export type Key<Map> = keyof Map & string;
export type Flat<Type> = { [Field in keyof Type]: Type[Field] } & {};
/** `z.object({})` is `Record<string, never>`, which would forbid every field. */
export type Body<Type> = string extends keyof Type ? unknown : Type;

/**
 * An event as a rule returns it: of one thing, with what it gives (+) and takes (-), and new values of the module's own
 * counters (0 removes one). The engine dates and numbers it.
 */
export type Draft<Events extends Shapes> = {
  [Type in Key<Events>]: Flat<
    { readonly type: Type; readonly thing: string; readonly items?: Items; readonly counters?: Counters } & Body<
      z.input<Events[Type]>
    >
  >;
}[Key<Events>];
export type Drafts<Events extends Shapes> = readonly Draft<Events>[];

/** An event as `evolve` and `reply` get it. `at` is its logical time, epoch milliseconds. */
export type Happened<Events extends Shapes, Type extends Key<Events>> = Flat<
  Readonly<
    { type: Type; thing: string; seq: number; at: number; items?: Items; counters?: Counters } & Body<
      z.output<Events[Type]>
    >
  >
>;

export type HappenedOf<Events extends Shapes> = { [Type in Key<Events>]: Happened<Events, Type> }[Key<Events>];

/** Why a command may not be: a code `area/what`, and what a client needs to explain it. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly params: Readonly<Record<string, unknown>>;
}
export type Refuse = (code: RefusalCode, params?: Readonly<Record<string, unknown>>) => Refusal;

/** What every rule sees: the module's own things and the stock, at one instant. */
export interface Scene<Thing> {
  /** As they are before `nextSeq`. The engine writes on in the same map: keep a thing, never the map. */
  readonly things: Readonly<Record<string, Thing | undefined>>;
  readonly items: Items;
  /** The module's own, of this player: they outlive things. Missing: 0. */
  readonly counters: Counters;
  /** Epoch milliseconds. In `complete` and `goOn` the logical time of what they return. */
  readonly nowMs: number;
  readonly playerId: string;
  /** The `seq` of the first event that is returned: what an event creates can be named after it. */
  readonly nextSeq: number;
}

/** A scene seen from one thing. */
export interface Turn<Thing> extends Scene<Thing> {
  readonly id: string;
  readonly thing: Thing;
}

/**
 * Draws of one call, from a secret of the installation. The same call draws the same whatever is retried, and on every server,
 * and what it drew stands in its event. At most 1,000 draws a call; what cannot be drawn throws. Nothing may be refused after a draw.
 */
export interface Chance {
  /** From 0 on, less than 1. */
  readonly fraction: () => number;
  /** From the one to the other, both included. */
  readonly whole: (from: number, to: number) => number;
  /** One of these, each as often as its weight says: whole numbers of 0 or more, not all of them 0. */
  readonly pick: <One extends { readonly weight: number }>(of: readonly One[]) => One;
}

export interface ByChance {
  readonly chance: Chance;
}

/** The rules in force when the transaction read the clock: the config of the module, as its schema reads it. */
export interface ByConfig<Config = undefined> {
  readonly config: Config;
}

/** What an operator asks of a thing. `run` names the run that was meant, if one was named. */
export interface OperatorTurn<Thing, Config = undefined> extends Turn<Thing>, ByConfig<Config> {
  readonly run: string | undefined;
  readonly by: string;
  readonly reason: string;
  readonly refuse: Refuse;
}

export interface Asked<Thing, Payload, Config = undefined> extends Scene<Thing>, ByConfig<Config>, ByChance {
  readonly payload: Payload;
  /** An id that no thing has had. */
  readonly newId: string;
  readonly refuse: Refuse;
}

/** What one transaction did to a player's things of the module. */
export interface Changed<Thing, Events extends Shapes> {
  readonly playerId: string;
  /** The module's own events, in order. */
  readonly events: readonly HappenedOf<Events>[];
  /** Those that changed, as they are now; undefined: gone. */
  readonly things: Readonly<Record<string, Thing | undefined>>;
}
