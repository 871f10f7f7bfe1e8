import type { Catalogue } from '../../shared/catalogue.ts';

/** Of ids with 128 characters, names with 32 characters of 4 bytes, numbers as doubles, and all fields' own bytes. */
const PET_BYTES = 900;
const ITEM_BYTES = 50;
const HOME_BYTES = 300;
/** Items that the rules once had and some players still have. */
const FORMER_ITEMS = 16;
const KIB = 1024;

/**
 * What the largest home takes when its whole state is sent, in whole KiB. Colyseus gives each room two buffers of one size
 * for all; one that turns out too small grows, with a warning at each join.
 */
export const stateBytesAtMost = ({ limits, foods, cards }: Pick<Catalogue, 'limits' | 'foods' | 'cards'>): number => {
  const items = Object.keys(foods).length + Object.keys(cards).length + FORMER_ITEMS;
  return Math.ceil((HOME_BYTES + limits.petsPerPlayer * PET_BYTES + items * ITEM_BYTES) / KIB) * KIB;
};
