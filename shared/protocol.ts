import { z } from 'zod';
import { eventBody, type HomeEvent } from './event.ts';
import { name, namedOf } from './named.ts';
import { ok, type Result, refused } from './result.ts';

/** Text that every store and log can hold: no control characters, no halves of surrogate pairs. */
const text = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'has characters that are not text');

const id = text(1, 200);
const item = text(1, 64);
/** The sender's own key of a command: sent again with the same body it gets the same answer, nothing is done twice. */
export const commandId = text(8, 64);
const count = z.int().min(1).max(1000);
const itemCounts = namedOf(name, z.int().min(1).max(1_000_000_000)).refine(
  (items) => Object.keys(items).length > 0 && Object.keys(items).length <= 100,
  'names 1 to 100 items',
);
const reason = text(1, 200);

/** What players may ask for, by message name. */
export const playerPayloads = {
  // The length of a name is a rule of the game (`name/refused`), not of the wire.
  'home:adopt': z.strictObject({ name: z.string(), species: item }),
  'home:feed': z.strictObject({ petId: id, food: item }),
  'home:use-card': z.strictObject({
    petId: id,
    card: item,
    feedingId: id.optional(),
    count: count.optional(),
    maxWastedMs: z.int().min(0).optional(),
  }),
  'home:disarm': z.strictObject({ petId: id, count: count.optional() }),
  'home:stop': z.strictObject({ petId: id, feedingId: id.optional() }),
  'home:release': z.strictObject({ petId: id }),
} as const;

/** What only the game's own server code may ask for. */
export const serverPayloads = {
  'home:grant': z.strictObject({ items: itemCounts, reason }),
  'home:take': z.strictObject({ items: itemCounts, reason }),
} as const;

const payloads = { ...playerPayloads, ...serverPayloads } as const;

export type PlayerCommandType = keyof typeof playerPayloads;
export type CommandType = keyof typeof payloads;
/** A command as the rules see it: who asks and under which id is not theirs to know. */
export type Command = {
  [Type in CommandType]: { readonly type: Type } & z.infer<(typeof payloads)[Type]>;
}[CommandType];
export type CommandOf<Type extends CommandType> = Extract<Command, { type: Type }>;
/** What a client sends: the payload of a command with its `commandId`. */
export type CommandMessage<Type extends CommandType> = Omit<CommandOf<Type>, 'type'> & { readonly commandId: string };

export const playerCommandTypes = Object.keys(playerPayloads) as readonly PlayerCommandType[];

export const commandTypes = Object.keys(payloads) as readonly CommandType[];

export const quoteMessage = z.strictObject({
  command: z.enum(playerCommandTypes as [PlayerCommandType, ...PlayerCommandType[]]),
  payload: namedOf(z.string(), z.unknown()),
  commandId: commandId.optional(),
});
/** `epoch` is the one that the client's `afterSeq` belongs to; without it only the numbers are compared. */
const cursor = { afterSeq: z.int().min(0), epoch: text(1, 64).optional() };
export const syncMessage = z.strictObject({
  ...cursor,
  limit: z.int().min(1).max(500).optional(),
  commandId: commandId.optional(),
});
export const timeMessage = z.union([z.undefined(), z.null(), z.strictObject({ commandId: commandId.optional() })]);
/** Of the options of a join nothing else is read. */
export const joinOptions = z.object({ afterSeq: cursor.afterSeq.optional(), epoch: cursor.epoch });

export type QuoteMessage = z.infer<typeof quoteMessage>;
export type SyncMessage = z.infer<typeof syncMessage>;

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
  'inventory/refused',
  'sync/ahead',
  'player/frozen',
  'player/not-frozen',
  'rate/limited',
  'server/unavailable',
] as const;
export type RejectionCode = (typeof rejectionCodes)[number];

export const rejection = z.strictObject({
  code: z.enum(rejectionCodes),
  params: z.record(z.string(), z.unknown()),
  /** The same command may succeed a little later. */
  retryable: z.boolean(),
});
export type Rejection = z.infer<typeof rejection>;

const place = { v: z.literal(1), seq: z.int().min(1), at: z.int().min(0), commandId: commandId.optional() };
const { seq: _, ...quotedPlace } = place;
export const homeEvent = z.intersection(eventBody, z.looseObject(place));
export const quotedEvent = z.intersection(eventBody, z.looseObject(quotedPlace));

/** The answer to a command. `dueAt` is the pet's new due time, 0 when it has none. A quote's events have no `seq`. */
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
  /** There are more: ask again after the last one's `seq`. */
  truncated: z.boolean().exactOptional(),
});
export const timeReply = z.strictObject({ nowMs: z.int().min(0) });
export const eventsMessage = z.strictObject({
  events: z.array(homeEvent),
  nowMs: z.int().min(0),
  truncated: z.boolean().exactOptional(),
});
export const tokenMessage = z.strictObject({ token: z.string() });
/** Join anew, on any process, and send again there what has no answer. */
export const drainMessage = z.strictObject({});
export type DrainMessage = Readonly<z.infer<typeof drainMessage>>;

/** As the schema says, with the events as the rules know them. */
export type Told<Schema extends z.ZodType<{ events: unknown }>, Event> = Readonly<
  Omit<z.infer<Schema>, 'events'> & { events: readonly Event[] }
>;
/** An event that would happen: it has no place in the log. */
export type QuotedEvent = Omit<HomeEvent, 'seq'>;
export type Reply = Told<typeof reply, HomeEvent>;
export type QuoteReply = Told<typeof quoteReply, QuotedEvent>;
export type EventsMessage = Told<typeof eventsMessage, HomeEvent>;
export type SyncReply = Told<typeof syncReply, HomeEvent>;
export type TimeReply = Readonly<z.infer<typeof timeReply>>;

export const reject = (code: RejectionCode, params: Rejection['params'] = {}): Rejection => ({
  code,
  params,
  retryable: code === 'rate/limited' || code === 'server/unavailable',
});

/** Reads a command's payload as it came over the wire, or refuses it with `command/invalid` and what was wrong. */
export const parseCommand = (
  type: CommandType,
  payload: unknown,
): Result<{ readonly commandId: string; readonly command: Command }, Rejection> => {
  const parsed = payloads[type].extend({ commandId }).safeParse(payload);
  if (!parsed.success) return refused(invalid(parsed.error));
  const { commandId: key, ...fields } = parsed.data;
  return ok({ commandId: key, command: { type, ...fields } as Command });
};

/** Reads a command that is only asked about: its `commandId` may be missing. */
export const parseQuoted = (message: unknown): Result<Command, Rejection> => {
  const quoted = quoteMessage.safeParse(message);
  if (!quoted.success) return refused(invalid(quoted.error));
  const { command: type, payload } = quoted.data;
  const parsed = payloads[type].extend({ commandId: commandId.optional() }).safeParse(payload);
  if (!parsed.success) return refused(invalid(parsed.error));
  const { commandId: _, ...fields } = parsed.data;
  return ok({ type, ...fields } as Command);
};

/** Never repeats what the client sent: only where it was wrong, and what belongs there. */
export const invalid = (error: z.ZodError): Rejection =>
  reject('command/invalid', {
    faults: error.issues.slice(0, 10).map((issue) => ({
      path: placeOf(issue).join('.').slice(0, 100),
      message: issue.code === 'unrecognized_keys' ? 'has fields that are not known' : issue.message.slice(0, 200),
    })),
  });

/** The last step to a key that is no name is that key. */
const placeOf = (issue: z.core.$ZodIssue): readonly PropertyKey[] =>
  issue.code === 'invalid_key' ? issue.path.slice(0, -1) : issue.path;
