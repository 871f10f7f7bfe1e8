import { z } from 'zod';
import { PLAYER_ID } from '../ids.ts';
import { name, namedOf } from '../rule-shapes.ts';

export const playerId = z.string().regex(PLAYER_ID, 'is no player id');
/** A field of a thing. */
const field = z.string().regex(/^[\w-]{1,64}$/, 'is no field');

/** Which players a job reaches; all that is named has to be true. */
export const jobFilter = z.strictObject({
  playerIds: z.array(playerId).min(1).max(10_000).optional(),
  /** Has a thing of the module, one for which all the rest here is true. */
  things: z
    .strictObject({
      module: name,
      /** True: has no such thing. */
      isMissing: z.boolean().optional(),
      /** Fields of the thing that are exactly this. */
      fields: namedOf(field, z.union([z.string().max(200), z.number(), z.boolean()])).optional(),
      /** Fields that are this number or more. */
      atLeast: namedOf(field, z.number()).optional(),
    })
    .optional(),
  /** The newest event of the player's log lies in this window. */
  seenFromMs: z.int().min(0).optional(),
  seenToMs: z.int().min(0).optional(),
});
export type JobFilter = z.infer<typeof jobFilter>;
