import { z } from 'zod';
import { quoteMessage as anyQuote, rejection as anyRejection, commandId, serverPayloads } from '../protocol.ts';
import { petCommands } from './commands.ts';
import { type PetsEvent, petsEventBody } from './events.ts';

/** The wire format for a player with pets and no other things, for clients in any language. */

/** Players' commands, by message name. */
export const playerPayloads = {
  'home:adopt': petCommands.adopt.strict(),
  'home:feed': petCommands.feed.strict(),
  'home:use-card': petCommands['use-card'].strict(),
  'home:disarm': petCommands.disarm.strict(),
  'home:stop': petCommands.stop.strict(),
  'home:release': petCommands.release.strict(),
} as const;

const payloads = { ...playerPayloads, ...serverPayloads } as const;

export type PlayerCommandType = keyof typeof playerPayloads;
export type CommandType = keyof typeof payloads;
export type Command = {
  [Type in CommandType]: { readonly type: Type } & z.infer<(typeof payloads)[Type]>;
}[CommandType];
export type CommandOf<Type extends CommandType> = Extract<Command, { type: Type }>;
/** A client's message: the payload of a command with its `commandId`. */
export type CommandMessage<Type extends CommandType> = Omit<CommandOf<Type>, 'type'> & { readonly commandId: string };

export const playerCommandTypes = Object.keys(playerPayloads) as readonly PlayerCommandType[];

export const quoteMessage = anyQuote.extend({
  command: z.enum(playerCommandTypes as [PlayerCommandType, ...PlayerCommandType[]]),
});

export const rejectionCodes = [
  'command/invalid',
  'command/reused',
  'pet/unknown',
  'pet/limit',
  'pet/eating',
  'pet/not-eating',
  'pet/auto-feeds-full',
  'species/unknown',
  'name/refused',
  'feeding/already-done',
  'feeding/too-long',
  'card/would-waste',
  'card/partly-used',
  'boost/other-rate',
  'boost/too-long',
  'item/unknown',
  'item/out-of-stock',
  'item/too-many',
  'inventory/refused',
  'module/fault',
  'sync/ahead',
  'player/frozen',
  'player/not-frozen',
  'rate/limited',
  'server/unavailable',
] as const;
export type RejectionCode = (typeof rejectionCodes)[number];

export const rejection = anyRejection.extend({ code: z.enum(rejectionCodes) });

const place = { v: z.literal(1), seq: z.int().min(1), at: z.int().min(0), commandId: commandId.optional() };
const { seq: _, ...quotedPlace } = place;
export const homeEvent = z.intersection(petsEventBody, z.looseObject(place));
export const quotedEvent = z.intersection(petsEventBody, z.looseObject(quotedPlace));

/** The reply to a command. `dueAt`: the pet's new due time, 0 if it has none. A quote's events have no `seq`. */
export const reply = z.strictObject({
  seq: z.int().min(0),
  nowMs: z.int().min(0),
  events: z.array(homeEvent),
  petId: z.string().exactOptional(),
  feedingId: z.string().exactOptional(),
  dueAt: z.int().min(0).exactOptional(),
  wastedMs: z.int().min(0).exactOptional(),
});
export const quoteReply = reply.extend({ events: z.array(quotedEvent) });
export const syncReply = z.strictObject({
  seq: z.int().min(0),
  nowMs: z.int().min(0),
  events: z.array(homeEvent),
  /** More events follow: ask again after the last one's `seq`. */
  truncated: z.boolean().exactOptional(),
});
export const eventsMessage = z.strictObject({
  events: z.array(homeEvent),
  nowMs: z.int().min(0),
  truncated: z.boolean().exactOptional(),
});

/** The schema's type, with events as the rules know them. */
export type Told<Schema extends z.ZodType<{ events: unknown }>, Event> = Readonly<
  Omit<z.infer<Schema>, 'events'> & { events: readonly Event[] }
>;
export type HomeEvent = PetsEvent;
/** A possible event: it has no place in the log. */
export type QuotedEvent = Omit<HomeEvent, 'seq'>;
export type Reply = Told<typeof reply, HomeEvent>;
export type QuoteReply = Told<typeof quoteReply, QuotedEvent>;
export type EventsMessage = Told<typeof eventsMessage, HomeEvent>;
export type SyncReply = Told<typeof syncReply, HomeEvent>;
