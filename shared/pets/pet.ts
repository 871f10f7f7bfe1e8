import { z } from 'zod';
import type { Frozen } from '../home.ts';
import { type Home, thingsOf } from '../home.ts';
import { seqOf } from '../ids.ts';
import type { Items } from '../items.ts';
import { countOf } from '../items.ts';

const whole = z.int().min(0);
const instant = z.int().min(0);

/** A meal; a chain repeats it, whatever the catalogue says by then. */
const meal = { food: z.string(), workMs: whole, xp: whole };

const feeding = z.object({
  ...meal,
  feedingId: z.string(),
  by: z.enum(['hand', 'card']),
  startedAtMs: instant,
  work: z.object({ leftMs: whole, sinceAtMs: instant }),
  /** A card was played on it: a stop no longer gives the food back. */
  hasCards: z.boolean(),
});

const endedFeeding = z.object({ ...meal, feedingId: z.string(), outcome: z.enum(['completed', 'stopped']) });

/** Repeat cards of one kind, armed together. The first may be partly used (`left` is then no multiple of `times`). */
const armed = z.object({
  card: z.string(),
  /** Feedings that one card gives. */
  times: z.int(),
  /** Feedings that these cards still give. */
  left: z.int(),
});

const boost = z.object({ rate: z.int(), endsAtMs: instant });

const pet = z.object({
  petId: z.string(),
  name: z.string(),
  species: z.string(),
  xp: whole,
  feeding: feeding.optional(),
  /** The newest ended feeding and its end: the next one of a chain copies it. */
  lastFeeding: endedFeeding.optional(),
  boost: boost.optional(),
  /** Repeat cards on the pet, in the order of their use. */
  armed: z.array(armed),
  /** Since when the chain waits for its food; undefined: it does not wait. */
  blockedAtMs: instant.optional(),
});

export type Pet = Frozen<z.infer<typeof pet>>;
export type Feeding = Frozen<z.infer<typeof feeding>>;
export type EndedFeeding = Frozen<z.infer<typeof endedFeeding>>;
export type Armed = Frozen<z.infer<typeof armed>>;
export type Meal = Pick<Feeding, 'food' | 'workMs' | 'xp'>;

export const petThing: z.ZodType<Pet, object> = pet;

export const PETS = 'pets';

export const initialPet: Pet = { petId: '', name: '', species: '', xp: 0, armed: [] };

/** In order of adoption. */
export const petsOf = (home: Pick<Home, 'things'>): readonly Pet[] =>
  (Object.values(thingsOf(home, PETS)) as Pet[]).sort((one, other) => seqOf(one.petId) - seqOf(other.petId));

export const petOf = (home: Pick<Home, 'things'>, petId: string): Pet | undefined => {
  const pets = thingsOf(home, PETS);
  return Object.hasOwn(pets, petId) ? (pets[petId] as Pet) : undefined;
};

export const autoFeedsOf = (pet: Pick<Pet, 'armed'>): number => pet.armed.reduce((sum, { left }) => sum + left, 0);

/** Cards without a used feeding: these can go back to the items. */
export const wholeCards = ({ left, times }: Armed): number => Math.floor(left / times);

export const hasFood = (items: Items, food: string): boolean => countOf(items, food) > 0;
