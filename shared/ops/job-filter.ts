import { z } from 'zod';
import { PLAYER_ID } from '../ids.ts';
import { name, namedOf } from '../rule-shapes.ts';
import { isText } from '../text.ts';

export const playerId = z.string().regex(PLAYER_ID, 'is no player id');
/** A field of a thing. */
const field = z.string().regex(/^[\w-]{1,64}$/, 'is no field');

/** Stored text, with any characters that can be stored. */
export const storedText = (max: number) => z.string().max(max).refine(isText, 'has characters that are not text');

/** Selects the players of a job; all given conditions must hold. */
export const jobFilter = z.strictObject({
  playerIds: z.array(playerId).min(1).max(10_000).optional(),
  /** The player has a thing of the module for which all following conditions hold. */
  things: z
    .strictObject({
      module: name,
      /** True: the player has no such thing. */
      isMissing: z.boolean().optional(),
      /** Fields of the thing with exactly this value. */
      fields: namedOf(field, z.union([storedText(200), z.number(), z.boolean()])).optional(),
      /** Fields with at least this number. */
      atLeast: namedOf(field, z.number()).optional(),
      /** A line of the page's dialog that `conditionsOf` could not read. */
      wrong: z.never('is no condition: write field = value or field >= number, each field once').optional(),
    })
    .optional(),
  /** The window of the newest event in the player's log. */
  seenFromMs: z.int().min(0).optional(),
  seenToMs: z.int().min(0).optional(),
});
export type JobFilter = z.infer<typeof jobFilter>;
