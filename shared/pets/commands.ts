import { z } from 'zod';
import { countOf, type Items } from '../items.ts';
import { LATEST_MS } from '../latest-ms.ts';
import type { Refusal } from '../module/module.ts';
import { text } from '../rule-shapes.ts';
import type { Pet } from './pet.ts';

const id = text(1, 200);
const item = text(1, 64);
const count = z.int().min(1).max(1000);

export const petCommands = {
  // The length of a name is a rule of the game (`name/refused`), not of the wire.
  adopt: z.object({ name: z.string(), species: item }),
  feed: z.object({ petId: id, food: item }),
  'use-card': z.object({
    petId: id,
    card: item,
    feedingId: id.optional(),
    count: count.optional(),
    maxWastedMs: z.int().min(0).optional(),
  }),
  disarm: z.object({ petId: id, count: count.optional() }),
  stop: z.object({ petId: id, feedingId: id.optional() }),
  release: z.object({ petId: id }),
} as const;

type PetCommands = typeof petCommands;
export type PetPayload<Type extends keyof PetCommands> = z.output<PetCommands[Type]>;

const refusal = (code: Refusal['code'], params: Refusal['params']): Refusal => ({ code, params });

export const unknownPet = (petId: string): Refusal => refusal('pet/unknown', { petId });

/** Why a pet has no feeding for a card. Depends only on the log, not on the time of a settle. */
export const notEating = (pet: Pet, feedingId: string | undefined): Refusal =>
  feedingId !== undefined || pet.feeding || pet.lastFeeding?.outcome === 'completed'
    ? refusal('feeding/already-done', { petId: pet.petId, feedingId: feedingId ?? pet.lastFeeding?.feedingId })
    : refusal('pet/not-eating', { petId: pet.petId });

export const isAnother = (pet: Pet, feedingId: string | undefined): boolean =>
  feedingId !== undefined && feedingId !== pet.feeding?.feedingId;

export const outOfStock = (items: Items, item: string, need: number): Refusal =>
  refusal('item/out-of-stock', { item, have: countOf(items, item), need });

/** Refuses a feeding with a due time `dueAt` beyond the clock's end. */
export const tooLong = (dueAt: number): Refusal => refusal('feeding/too-long', { dueAt, latestAt: LATEST_MS });
