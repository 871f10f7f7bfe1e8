import { z } from 'zod';
import { Machine } from '../machine.ts';

/** What is kept of a row that was measured. */
export const Result = z.object({
  name: z.string(),
  about: z.string(),
  atDay: z.string(),
  commit: z.string(),
  command: z.string(),
  machine: Machine,
  rounds: z.number(),
  figures: z.array(
    z.object({ name: z.string(), unit: z.enum(['/s', 'ms', 'µs', 'B', 'MB', 's', 'count', 'exponent']) }),
  ),
  samples: z.record(z.string(), z.record(z.string(), z.array(z.number()).readonly())),
  targets: z.array(
    z.object({
      of: z.string(),
      figure: z.string(),
      against: z.string().exactOptional(),
      atLeast: z.number().exactOptional(),
      atMost: z.number().exactOptional(),
      isInEachRound: z.boolean().exactOptional(),
    }),
  ),
});
export type Result = z.infer<typeof Result>;
