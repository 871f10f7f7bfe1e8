import { countOf, type Home, type Pet } from '../../shared/home.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { type Rejection, reject } from '../../shared/protocol.ts';

/** Why a pet has no feeding to play on. Depends on facts of the log only, not on who looked when. */
export const notEating = (pet: Pet, feedingId: string | undefined): Rejection =>
  feedingId !== undefined || pet.feeding || pet.lastFeeding?.outcome === 'completed'
    ? reject('feeding/already-done', { petId: pet.petId, feedingId: feedingId ?? pet.lastFeeding?.feedingId })
    : reject('pet/not-eating', { petId: pet.petId });

export const isAnother = (pet: Pet, feedingId: string | undefined): boolean =>
  feedingId !== undefined && feedingId !== pet.feeding?.feedingId;

export const outOfStock = (home: Home, item: string, need: number): Rejection =>
  reject('item/out-of-stock', { item, have: countOf(home.items, item), need });

/** It would be due at `dueAt`, beyond the clock's end. */
export const tooLong = (dueAt: number): Rejection => reject('feeding/too-long', { dueAt, latestAt: LATEST_MS });
