import { z } from 'zod';
import type { HomeEvent } from './event.ts';
import type { Items } from './items.ts';
import type { RefusalCode } from './result.ts';
import { namedOf, text } from './rule-shapes.ts';

const reason = text(1, 200);
/** The sender's own key of a command: a repetition with the same body gets the same reply, and nothing is done twice. */
export const commandId = text(8, 64);
/** As modules and a game's own inventory may name items. */
const itemName = text(1, 128).refine((own) => !(own in Object.prototype), 'the name is one that every object has');
export const itemCounts = namedOf(itemName, z.int().min(1)).refine(
  (items) => Object.keys(items).length > 0 && Object.keys(items).length <= 100,
  'names 1 to 100 items',
);

/** Commands that only the game's own server code may give. */
export const serverPayloads = {
  'home:grant': z.strictObject({ items: itemCounts, reason }),
  'home:take': z.strictObject({ items: itemCounts, reason }),
} as const;

/** A command for the rules, without its sender and id. `type` is the message's name. */
export interface Command {
  readonly type: string;
  readonly [field: string]: unknown;
}
/** The engine's own commands on a home. */
export type EngineCommand = {
  readonly type: keyof typeof serverPayloads;
  readonly items: Items;
  readonly reason: string;
};

export const quoteMessage = z.strictObject({
  command: text(1, 100),
  payload: namedOf(z.string(), z.unknown()),
  commandId: commandId.optional(),
});
/** `epoch`: the one of the client's `afterSeq`; without it only the numbers are compared. */
const cursor = { afterSeq: z.int().min(0), epoch: text(1, 64).optional() };
export const syncMessage = z.strictObject({
  ...cursor,
  limit: z.int().min(1).max(500).optional(),
  /** Asks for all things first (`home:things`), and then for those that each commit touched. */
  snapshot: z.boolean().optional(),
  commandId: commandId.optional(),
});
export const timeMessage = z.union([z.undefined(), z.null(), z.strictObject({ commandId: commandId.optional() })]);
/** A join's other options are ignored. */
export const joinOptions = z.object({
  afterSeq: cursor.afterSeq.optional(),
  epoch: cursor.epoch,
  /** Asks for the things of all modules (`home:things`). Older clients do not know that message. */
  things: z.boolean().optional(),
});

export type QuoteMessage = z.infer<typeof quoteMessage>;
export type SyncMessage = z.infer<typeof syncMessage>;

/** Codes of the engine or of a module's rules. */
export type { RefusalCode as RejectionCode };

export const rejection = z.strictObject({
  code: z.templateLiteral([z.string(), '/', z.string()]),
  params: z.record(z.string(), z.unknown()),
  /** The same command may succeed a little later. */
  retryable: z.boolean(),
});
export type Rejection = z.infer<typeof rejection>;

export const homeEvent = z.looseObject({
  v: z.int().min(1),
  seq: z.int().min(1),
  at: z.int().min(0),
  commandId: commandId.optional(),
  type: z.string(),
  items: z.record(z.string(), z.int()).optional(),
});

export const syncReply = z.strictObject({
  seq: z.int().min(0),
  nowMs: z.int().min(0),
  events: z.array(homeEvent),
  /** More events follow: ask again after the last one's `seq`. */
  truncated: z.boolean().exactOptional(),
});
export const timeReply = z.strictObject({ nowMs: z.int().min(0) });
export const eventsMessage = z.strictObject({
  events: z.array(homeEvent),
  nowMs: z.int().min(0),
  truncated: z.boolean().exactOptional(),
});
const thingKey = { module: z.string(), id: z.string() };
/** A thing after the commit. `dueAt`: epoch milliseconds, 0: it rests or waits. `version`: that of its module. */
export const toldThing = z.strictObject({
  ...thingKey,
  version: z.int().min(1),
  dueAt: z.int().min(0),
  state: z.record(z.string(), z.unknown()),
});
export const thingsMessage = z.strictObject({
  seq: z.int().min(0),
  things: z.array(toldThing),
  gone: z.array(z.strictObject(thingKey)),
  items: z.record(z.string(), z.int()),
  /** The message has all things of this player and this life of the log. */
  snapshot: z.strictObject({ playerId: z.string(), epoch: z.string() }).exactOptional(),
  /** A rule of the module failed on the thing: the home stands still. */
  fault: z.strictObject({ module: z.string(), thing: z.string() }).exactOptional(),
  /** Another part of the same message follows. */
  more: z.boolean().exactOptional(),
});
export type ToldThing = Readonly<z.infer<typeof toldThing>>;
export type ThingsMessage = Readonly<
  Omit<z.infer<typeof thingsMessage>, 'things' | 'gone'> & {
    things: readonly ToldThing[];
    gone: readonly { readonly module: string; readonly id: string }[];
  }
>;
export const tokenMessage = z.strictObject({ token: z.string() });
/** The rules of a module are new. */
export const rulesMessage = z.strictObject({ module: z.string(), version: z.int().min(1) });
export type RulesMessage = Readonly<z.infer<typeof rulesMessage>>;

/** The process stops: join anew, on any process, and send commands without a reply again. */
export const drainMessage = z.strictObject({});
export type DrainMessage = Readonly<z.infer<typeof drainMessage>>;

/** The schema's type, with events as the rules know them. */
export type Told<Schema extends z.ZodType<{ events: unknown }>, Event> = Readonly<
  Omit<z.infer<Schema>, 'events'> & { events: readonly Event[] }
>;
/** A possible event: it has no place in the log. */
export interface QuotedEvent {
  readonly v: number;
  readonly at: number;
  readonly type: string;
  readonly items?: Items;
  readonly [field: string]: unknown;
}
export interface Reply<Event = HomeEvent> {
  readonly seq: number;
  readonly nowMs: number;
  readonly events: readonly Event[];
  readonly [field: string]: unknown;
}
export type QuoteReply = Reply<QuotedEvent>;
export type EventsMessage = Told<typeof eventsMessage, HomeEvent>;
export type SyncReply = Told<typeof syncReply, HomeEvent>;
export type TimeReply = Readonly<z.infer<typeof timeReply>>;

export const reject = (code: RefusalCode, params: Rejection['params'] = {}): Rejection => ({
  code,
  params,
  retryable: code === 'rate/limited' || code === 'server/unavailable',
});

/** Never repeats the client's values: only the place of each fault, and what belongs there. */
export const invalid = (error: z.core.$ZodError): Rejection =>
  reject('command/invalid', {
    faults: error.issues.slice(0, 10).map((issue) => ({
      path: placeOf(issue).join('.').slice(0, 100),
      message: issue.code === 'unrecognized_keys' ? 'has fields that are not known' : issue.message.slice(0, 200),
    })),
  });

/** The last step to an invalid key is the key itself, so it is dropped. */
const placeOf = (issue: z.core.$ZodIssue): readonly PropertyKey[] =>
  issue.code === 'invalid_key' ? issue.path.slice(0, -1) : issue.path;
