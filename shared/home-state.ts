import { type SchemaType, schema, t } from '@colyseus/schema';

/**
 * What a client sees of a home. Instants are absolute epoch milliseconds. Only types that every engine's SDK can
 * decode; fields are only ever appended.
 */
export const PetState = schema(
  {
    id: t.string(),
    name: t.string(),
    species: t.string(),
    xp: t.number(),
    level: t.number(),
    /** "" when the pet is not eating; so is `food`. */
    feedingId: t.string(),
    food: t.string(),
    startedAt: t.number(),
    /** 0: no due time. */
    dueAt: t.number(),
    totalMs: t.number(),
    /** Work left as of `sinceAt`. */
    leftMs: t.number(),
    sinceAt: t.number(),
    /** 1 when there is no boost; it holds until `boostEndsAt`. */
    boostRate: t.number(),
    boostEndsAt: t.number(),
    autoFeeds: t.number(),
    /** The food that a blocked chain needs. */
    waitingFor: t.string(),
  },
  'PetState',
);
export type PetState = SchemaType<typeof PetState>;

export const HomeState = schema(
  {
    playerId: t.string(),
    /** One life of the database: `seq` of different epochs do not compare. */
    epoch: t.string(),
    seq: t.number(),
    items: t.map('number'),
    pets: t.map(PetState),
  },
  'HomeState',
);
export type HomeState = SchemaType<typeof HomeState>;
