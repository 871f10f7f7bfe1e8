// The inputs and results of a module's rules.

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
 * An event as a rule returns it: for one thing, with the items that it gives (+) and takes (-), and new values of the
 * module's own counters (0 removes one). The engine dates and numbers it.
 */
export type Draft<Events extends Shapes> = {
  [Type in Key<Events>]: Flat<
    { readonly type: Type; readonly thing: string; readonly items?: Items; readonly counters?: Counters } & Body<
      z.input<Events[Type]>
    >
  >;
}[Key<Events>];
export type Drafts<Events extends Shapes> = readonly Draft<Events>[];

/** An event for `evolve` and `reply`. `at` is its logical time, epoch milliseconds. */
export type Happened<Events extends Shapes, Type extends Key<Events>> = Flat<
  Readonly<
    { type: Type; thing: string; seq: number; at: number; items?: Items; counters?: Counters } & Body<
      z.output<Events[Type]>
    >
  >
>;

export type HappenedOf<Events extends Shapes> = { [Type in Key<Events>]: Happened<Events, Type> }[Key<Events>];

/** A command's refusal: a code `area/what`, and the params with which a client explains it. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly params: Readonly<Record<string, unknown>>;
}
export type Refuse = (code: RefusalCode, params?: Readonly<Record<string, unknown>>) => Refusal;

/** The input of every rule: the module's own things and the stock, at one instant. */
export interface Scene<Thing> {
  /** The things before `nextSeq`. The engine goes on writing in the same map: you may keep a thing, but not the map. */
  readonly things: Readonly<Record<string, Thing | undefined>>;
  readonly items: Items;
  /** The module's own counters of this player: they outlive things. Missing: 0. */
  readonly counters: Counters;
  /** Epoch milliseconds. In `complete` and `goOn`: the logical time of the returned events. */
  readonly nowMs: number;
  readonly playerId: string;
  /** The `seq` of the first returned event: use it to name what the event creates. */
  readonly nextSeq: number;
}

/** A scene with one thing of it. */
export interface Turn<Thing> extends Scene<Thing> {
  readonly id: string;
  readonly thing: Thing;
}

/**
 * Draws of one call, from a secret of the installation. The same call draws the same on every server and in every
 * retry; its event records the draw. At most 1,000 draws a call; an impossible draw throws. After a draw no refusal is
 * allowed.
 */
export interface Chance {
  /** From 0, less than 1. */
  readonly fraction: () => number;
  /** A whole number between both, inclusive. */
  readonly whole: (from: number, to: number) => number;
  /** One of these, with the probability of its weight: whole numbers of 0 or more, not all 0. */
  readonly pick: <One extends { readonly weight: number }>(of: readonly One[]) => One;
}

export interface ByChance {
  readonly chance: Chance;
}

/** The rules in force when the transaction read the clock: the module's config, as its schema reads it. */
export interface ByConfig<Config = undefined> {
  readonly config: Config;
}

/** An operator's act on a thing. `run`: the run that the operator named, if any. */
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

/** The changes of one transaction to a player's things of the module. */
export interface Changed<Thing, Events extends Shapes> {
  readonly playerId: string;
  /** The module's own events, in order. */
  readonly events: readonly HappenedOf<Events>[];
  /** The changed things in their new state; undefined: removed. */
  readonly things: Readonly<Record<string, Thing | undefined>>;
}
