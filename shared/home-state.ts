import { type SchemaType, schema, t } from '@colyseus/schema';

/**
 * A client's view of a home. Instants are absolute epoch milliseconds. It has only types that every engine's SDK can
 * decode; new fields are only appended.
 */
export const PetState = schema(
  {
    id: t.string(),
    name: t.string(),
    species: t.string(),
    xp: t.number(),
    level: t.number(),
    /** "" while the pet is not eating; the same for `food`. */
    feedingId: t.string(),
    food: t.string(),
    startedAt: t.number(),
    /** 0: no due time. */
    dueAt: t.number(),
    totalMs: t.number(),
    /** Work left as of `sinceAt`. */
    leftMs: t.number(),
    sinceAt: t.number(),
    /** 1 without a boost; it lasts until `boostEndsAt`. */
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
    /** One life of the database: `seq` of different epochs cannot be compared. */
    epoch: t.string(),
    seq: t.number(),
    items: t.map('number'),
    pets: t.map(PetState),
  },
  'HomeState',
);
export type HomeState = SchemaType<typeof HomeState>;
