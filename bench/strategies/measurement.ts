import { z } from 'zod';
import { Machine } from '../harness/machine.ts';

/** What one process found of one contender. */
export const Measurement = z.object({
  contender: z.string(),
  /** Timers that waited meanwhile. */
  pending: z.number(),
  round: z.number(),
  /** By the names in `figures.ts`; what a contender cannot do, or the machine does not tell, is left out. */
  figures: z.record(z.string(), z.number()),
  /** Why it ended before its end. */
  failed: z.string().exactOptional(),
});
export type Measurement = z.infer<typeof Measurement>;

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
export const Job = z.object({
  contender: z.string(),
  pending: z.number(),
  round: z.number(),
  sizes: Sizes,
  redisUrl: z.string(),
  postgresUrl: z.string(),
});
export type Job = z.infer<typeof Job>;

/** What is kept of a run. */
export const StrategiesResult = z.object({
  atDay: z.string(),
  commit: z.string(),
  command: z.string(),
  machine: Machine,
  loadAtEnd: z.number(),
  sizes: Sizes,
  measurements: z.array(Measurement),
});
export type StrategiesResult = z.infer<typeof StrategiesResult>;
