import { z } from 'zod';
import { Machine } from '../harness/machine.ts';

/** What one process found of one contender. */
export const Measurement = z.object({
  contender: z.string(),
  /** Timers that waited meanwhile. */
  pending: z.number(),
  round: z.number(),
  settings: z.string(),
  /** By the names in `figures.ts`; what a contender cannot do is left out. */
  figures: z.record(z.string(), z.number()),
  /** Why it ended before its end. */
  failed: z.string().exactOptional(),
});
export type Measurement = z.infer<typeof Measurement>;

/** How much of what is measured. */
export const Sizes = z.object({
  /** Of each sort of call, unless `callsAtMostMs` is over first. */
  calls: z.number(),
  callsAtMostMs: z.number(),
  fillAtMostMs: z.number(),
  late: z.number(),
  lateSpanMs: z.number(),
  burst: z.number(),
  /** How long the last of a burst is waited for. */
  burstAtMostMs: z.number(),
  race: z.number(),
});
export type Sizes = z.infer<typeof Sizes>;

/** What a process is to measure. */
export const Job = z.object({
  contender: z.string(),
  pending: z.number(),
  round: z.number(),
  sizes: Sizes,
  servers: z.object({ redisUrl: z.string(), postgresUrl: z.string() }),
});
export type Job = z.infer<typeof Job>;

/** What is kept of a run. */
export const PeersResult = z.object({
  atDay: z.string(),
  commit: z.string(),
  command: z.string(),
  machine: Machine,
  loadAtEnd: z.number(),
  /** Of whoever read the figures; written into the file by hand, for the page. */
  remarks: z.array(z.string()).exactOptional(),
  sizes: z.array(Sizes.extend({ pending: z.number() })),
  measurements: z.array(Measurement),
});
export type PeersResult = z.infer<typeof PeersResult>;
