import { z } from 'zod';
import { type EngineEvent, type EventPlace, engineBodies } from '../event.ts';
import type { Items } from '../items.ts';

const instant = z.int().min(0);
const whole = z.int().min(0);
const feeding = { feedingId: z.string() };
/** The operator's name and reason. */
const operator = { by: z.string(), reason: z.string() };
const meal = { food: z.string(), workMs: whole, xp: whole };

/** Events of a pet. Instants are epoch milliseconds, durations milliseconds. */
export const petEvents = {
  'pet-adopted': z.object({ name: z.string(), species: z.string() }),
  'feeding-started': z.object({ ...feeding, ...meal, by: z.enum(['hand', 'card']), dueAt: instant }),
  'card-used': z.object({
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
  }),
  'feeding-completed': z.object({ ...feeding, xp: whole, totalXp: whole }),
  'feeding-stopped': z.object({
    ...feeding,
    /** Feedings of a partly used card that stay armed. */
    autoFeeds: whole.optional(),
    by: operator.by.optional(),
    reason: operator.reason.optional(),
  }),
  'auto-feed-blocked': z.object({ food: z.string() }),
  'auto-feed-disarmed': z.object({ autoFeeds: whole.optional() }),
  'pet-released': z.object({}),
  'feeding-shifted': z.object({ ...feeding, byMs: z.int(), workLeftMs: whole, dueAt: instant, ...operator }),
  /** `from`: its id in the other home. Its feeding goes on with the same due time. */
  'pet-arrived': z.object({
    from: z.string(),
    name: z.string(),
    species: z.string(),
    xp: whole,
    feeding: z
      .strictObject({
        ...feeding,
        ...meal,
        by: z.enum(['hand', 'card']),
        startedAt: instant,
        leftMs: whole,
        sinceAt: instant,
        hasCards: z.boolean(),
        dueAt: instant,
      })
      .optional(),
    lastFeeding: z.strictObject({ ...feeding, ...meal, outcome: z.enum(['completed', 'stopped']) }).optional(),
    boost: z.strictObject({ rate: z.int(), endsAt: instant }).optional(),
    armed: z.array(z.strictObject({ card: z.string(), times: z.int(), left: z.int() })),
    blockedAt: instant.optional(),
  }),
} as const;

export type PetEventType = keyof typeof petEvents;

const items = z.record(z.string(), z.int());
/** Events that always give or take items. */
const MOVING = ['feeding-started', 'feeding-stopped', 'auto-feed-disarmed'] as const;
/** The items that an event of this type gives (+) and takes (-). */
export type Moved<Type> = Type extends (typeof MOVING)[number]
  ? { readonly items: Readonly<Record<string, number>> }
  : { readonly items?: Readonly<Record<string, number>> };
/** Fields of an event of this type. */
export type FieldsOf<Type extends PetEventType> = string extends keyof z.infer<(typeof petEvents)[Type]>
  ? unknown
  : z.infer<(typeof petEvents)[Type]>;

const mergedBody = z.strictObject({
  type: z.literal('home-merged'),
  into: z.string(),
  items,
  ...operator,
  pets: z.array(z.strictObject({ petId: z.string(), becomes: z.string() })),
});

/** An event of a pet as it is in the log. */
export type PetEvent = {
  [Type in PetEventType]: { readonly type: Type; readonly petId: string } & Moved<Type> &
    Readonly<FieldsOf<Type>> &
    EventPlace;
}[PetEventType];
/** Any event of a player with pets and no other things. */
export type PetsEvent =
  | PetEvent
  | Exclude<EngineEvent, { type: 'home-merged' }>
  | (Readonly<z.infer<typeof mergedBody>> & EventPlace);
export type PetsEventType = PetsEvent['type'];
export type PetEventOf<Type extends PetsEvent['type']> = Extract<PetsEvent, { type: Type }>;

/** The return type is explicit: a game without `exactOptionalPropertyTypes` could not read the inferred one. */
const movedOf = (type: string): { items: z.ZodType<Items> } | { items: z.ZodOptional<z.ZodType<Items>> } | object => {
  if (type === 'card-used') return { items: items.optional() };
  return MOVING.some((moving) => moving === type) ? { items } : {};
};

/** All events of such a log for clients, without their place. */
export type PetsEventBody = z.infer<typeof petsEventBody>;
export const petsEventBody = z.discriminatedUnion('type', [
  mergedBody,
  ...engineBodies.filter((body) => body.shape.type.value !== 'home-merged'),
  ...Object.entries(petEvents).map(([type, { shape }]) =>
    z.strictObject({ type: z.literal(type), petId: z.string(), ...shape, ...movedOf(type) }),
  ),
]);
