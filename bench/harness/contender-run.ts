import { z } from 'zod';
import { Machine } from './machine.ts';

/** What names a measurement. */
const named = {
  contender: z.string(),
  /** Timers that waited meanwhile. */
  pending: z.number(),
  round: z.number(),
};

/** What one process found of one contender. */
export const Measurement = z.object({
  ...named,
  /** By the names in `figures.ts`; what a contender cannot do, or the machine does not tell, is left out. */
  figures: z.record(z.string(), z.number()),
  /** Why it ended before its end. */
  failed: z.string().exactOptional(),
});
export type Measurement = z.infer<typeof Measurement>;

/** What a process is to measure, and how much of it. */
export const jobOf = <Sizes extends z.ZodType>(sizes: Sizes) =>
  z.object({ ...named, sizes, servers: z.object({ redisUrl: z.string(), postgresUrl: z.string() }) });

/** What is kept of a run. */
export const Run = z.object({
  atDay: z.string(),
  commit: z.string(),
  command: z.string(),
  machine: Machine,
  loadAtEnd: z.number(),
});
