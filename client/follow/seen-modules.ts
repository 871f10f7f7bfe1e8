// The modules of a game as types: no rule and no schema is imported.

import type { EngineEvent } from '../../shared/event.ts';
import type { AnyModule, EventOf, ThingOf } from '../../shared/module/module.ts';
import type { KeyOfEach, MessagesOfEach, ValueOfEach } from '../../shared/module/payloads-of.ts';
import type { PetsEvent } from '../../shared/pets/events.ts';
import type { Pets } from '../../shared/pets/pets.ts';
import type { PlayerCommandType, QuoteReply, Reply } from '../../shared/pets/protocol.ts';
import type { QuoteReply as AnyQuoteReply, Reply as AnyReply } from '../../shared/protocol.ts';

/** A module, or a function that makes one from a rules file. */
export type SeenModule = AnyModule | ((...rules: never) => AnyModule);
export type SeenModules = readonly SeenModule[];
/** The default modules. */
export type PetsAlone = readonly [Pets];

export type ModuleOf<Seen> = Seen extends (...rules: never) => infer M
  ? Extract<M, AnyModule>
  : Extract<Seen, AnyModule>;
/** The modules as a union. */
export type Each<Modules extends SeenModules> = ModuleOf<Modules[number]>;

export type EventOfEach<M> = M extends Pets ? PetsEvent : M extends AnyModule ? EventOf<M> | EngineEvent : never;
/** Any event of a player with these modules. */
export type EventIn<Modules extends SeenModules> = EventOfEach<Each<Modules>>;

/** Names of the commands. */
export type CommandIn<Modules extends SeenModules> = KeyOfEach<MessagesOfEach<Each<Modules>>>;
/** Without `commandId`. */
export type PayloadIn<Modules extends SeenModules, Type extends string> = ValueOfEach<
  MessagesOfEach<Each<Modules>>,
  Type
>;
export type ReplyIn<Modules extends SeenModules, Type extends string> = Type extends PlayerCommandType
  ? Reply
  : AnyReply<EventIn<Modules>>;
export type QuoteReplyIn<Type extends string> = Type extends PlayerCommandType ? QuoteReply : AnyQuoteReply;

/** A thing as the server last sent it. */
export interface ShownThing<Thing> {
  readonly id: string;
  /** The version of its module's shape. */
  readonly version: number;
  /** The next due time, epoch milliseconds; 0: it rests or waits. */
  readonly dueAt: number;
  readonly state: Thing;
}

/** By module and id; a module without things is left out. */
export type ShownThings<Modules extends SeenModules> = {
  readonly [M in Each<Modules> as M['name']]?: Readonly<Record<string, ShownThing<ThingOf<M>> | undefined>>;
};
