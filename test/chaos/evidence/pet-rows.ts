import type { Home } from '../../../shared/home.ts';
import { type Pet, petsOf } from '../../../shared/pets/pet.ts';
import type { BedRow, FeedingRow, PetRow } from './evidence.ts';

/** The pets of a home and what they eat, as the checker of real runs reads them. */
export const petRowsOf = (home: Pick<Home, 'things'>): readonly PetRow[] => petsOf(home).map(petRowOf);

export const feedingRowsOf = (home: Pick<Home, 'things'>): readonly FeedingRow[] => petsOf(home).flatMap(feedingRowOf);

export const petRowOf = ({ lastFeeding, boost, feeding: _, ...pet }: Pet): PetRow => ({
  ...pet,
  blockedAtMs: pet.blockedAtMs,
  boostRate: boost?.rate,
  boostEndsAtMs: boost?.endsAtMs,
  lastFeedingId: lastFeeding?.feedingId,
  lastOutcome: lastFeeding?.outcome,
});

export const feedingRowOf = ({ petId, feeding }: Pet): readonly FeedingRow[] => {
  if (!feeding) return [];
  const { work, by, ...rest } = feeding;
  return [
    {
      ...rest,
      petId,
      state: 'running',
      fedBy: by,
      leftMs: work.leftMs,
      sinceAtMs: work.sinceAtMs,
      endedAtMs: undefined,
    },
  ];
};

export const bedRowsOf = ({ things }: Pick<Home, 'things'>): readonly BedRow[] =>
  Object.entries(things.field ?? {}).map(([bed, state]) => bedRowOf(bed, state));

export const bedRowOf = (bed: string, state: object): BedRow => {
  const { harvests, growMs, sownAtMs, ripeAtMs } = state as Omit<BedRow, 'bed'>;
  return { bed, harvests, growMs, sownAtMs, ripeAtMs };
};
