import { z } from 'zod';

/** Instants are epoch milliseconds, durations milliseconds; `items` is what the event gave (+) or took (-). */
const instant = z.int().min(0);
const whole = z.int().min(0);
const items = z.record(z.string(), z.int());
const pet = { petId: z.string() };
const feeding = { ...pet, feedingId: z.string() };
/** Which operator did it, and why. */
const operator = { by: z.string(), reason: z.string() };

const bodies = [
  z.strictObject({ type: z.literal('pet-adopted'), ...pet, name: z.string(), species: z.string() }),
  z.strictObject({
    type: z.literal('feeding-started'),
    ...feeding,
    food: z.string(),
    by: z.enum(['hand', 'card']),
    workMs: whole,
    xp: whole,
    dueAt: instant,
    items,
  }),
  z.strictObject({
    type: z.literal('card-used'),
    ...feeding,
    card: z.string(),
    count: z.int().min(1),
    effect: z.enum(['cut', 'rate', 'repeat']),
    workLeftMs: whole,
    dueAt: instant,
    boostRate: z.int().optional(),
    boostEndsAt: instant.optional(),
    autoFeeds: whole.optional(),
    wastedMs: whole.optional(),
    items: items.optional(),
  }),
  z.strictObject({ type: z.literal('feeding-completed'), ...feeding, xp: whole, totalXp: whole }),
  z.strictObject({
    type: z.literal('feeding-stopped'),
    ...feeding,
    items,
    /** Feedings that stay armed, of a card that was used in part. */
    autoFeeds: whole.optional(),
    by: operator.by.optional(),
    reason: operator.reason.optional(),
  }),
  z.strictObject({ type: z.literal('auto-feed-blocked'), ...pet, food: z.string() }),
  z.strictObject({ type: z.literal('auto-feed-disarmed'), ...pet, items, autoFeeds: whole.optional() }),
  z.strictObject({ type: z.literal('items-granted'), items, reason: z.string() }),
  z.strictObject({ type: z.literal('pet-released'), ...pet }),
  z.strictObject({
    type: z.literal('feeding-shifted'),
    ...feeding,
    byMs: z.int(),
    workLeftMs: whole,
    dueAt: instant,
    ...operator,
  }),
  z.strictObject({ type: z.literal('player-frozen'), ...operator }),
  z.strictObject({ type: z.literal('player-unfrozen'), ...operator }),
  /** Everything went to the home of another player, and this one is closed. */
  z.strictObject({
    type: z.literal('home-merged'),
    into: z.string(),
    pets: z.array(z.strictObject({ ...pet, becomes: z.string() })),
    items,
    ...operator,
  }),
  /** The home of another player was merged into this one; its pets arrive next. */
  z.strictObject({ type: z.literal('home-received'), from: z.string(), items, ...operator }),
  /** `from` is its id in the other home. What it eats goes on, and is due when it was due there. */
  z.strictObject({
    type: z.literal('pet-arrived'),
    ...pet,
    from: z.string(),
    name: z.string(),
    species: z.string(),
    xp: whole,
    feeding: z
      .strictObject({
        feedingId: z.string(),
        food: z.string(),
        workMs: whole,
        xp: whole,
        by: z.enum(['hand', 'card']),
        startedAt: instant,
        leftMs: whole,
        sinceAt: instant,
        hasCards: z.boolean(),
        dueAt: instant,
      })
      .optional(),
    lastFeeding: z
      .strictObject({
        feedingId: z.string(),
        food: z.string(),
        workMs: whole,
        xp: whole,
        outcome: z.enum(['completed', 'stopped']),
      })
      .optional(),
    boost: z.strictObject({ rate: z.int(), endsAt: instant }).optional(),
    armed: z.array(z.strictObject({ card: z.string(), times: z.int(), left: z.int() })),
    blockedAt: instant.optional(),
  }),
] as const;

/** What happened, without its place in the log. */
export const eventBody = z.discriminatedUnion('type', bodies);
export type EventBody = z.infer<typeof eventBody>;

/** The place of an event in its player's log. `at` is the logical time; it never decreases along `seq`. */
export interface EventPlace {
  /** Version of the event's shape. */
  readonly v: 1;
  /** 1, 2, 3 ... for each player, without a gap. */
  readonly seq: number;
  readonly at: number;
  /** Stands on the first event of a command. */
  readonly commandId?: string;
}

export type HomeEvent = EventBody & EventPlace;
export type EventType = HomeEvent['type'];
export type EventOf<Type extends EventType> = Extract<EventBody, { type: Type }> & EventPlace;
