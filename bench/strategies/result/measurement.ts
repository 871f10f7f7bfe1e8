import { z } from 'zod';
import { jobOf, Measurement, Run } from '../../harness/contender-run.ts';

/** How much of what is measured. */
export const Sizes = z.object({
  /** Timers that come due, a second. */
  duePerSec: z.number(),
  dueForMs: z.number(),
  moves: z.number(),
  /** Shortens the time over which idle is measured. */
  idleAtMostMs: z.number(),
});
export type Sizes = z.infer<typeof Sizes>;

/** What a process is to measure. */
export const Job = jobOf(Sizes);
export type Job = z.infer<typeof Job>;

/** What is kept of a run. */
export const StrategiesResult = Run.extend({ sizes: Sizes, measurements: z.array(Measurement) });
export type StrategiesResult = z.infer<typeof StrategiesResult>;
