import { z } from 'zod';
import { Measurement as Found, jobOf, Run } from '../../harness/contender-run.ts';

/** The results of one process for one contender. */
export const Measurement = Found.extend({ settings: z.string() });
export type Measurement = z.infer<typeof Measurement>;

/** The sizes of a measurement. */
export const Sizes = z.object({
  /** Calls of each sort, unless `callsAtMostMs` is over first. */
  calls: z.number(),
  /** Calls that are open at once. */
  inFlight: z.number(),
  callsAtMostMs: z.number(),
  fillAtMostMs: z.number(),
  late: z.number(),
  lateSpanMs: z.number(),
  burst: z.number(),
  /** How long to wait for the last timer of a burst. */
  burstAtMostMs: z.number(),
  race: z.number(),
});
export type Sizes = z.infer<typeof Sizes>;

/** The task of a process. */
export const Job = jobOf(Sizes);
export type Job = z.infer<typeof Job>;

/** One run with so many waiting timers. */
export const PeersBlock = Run.extend({
  pending: z.number(),
  sizes: Sizes,
  measurements: z.array(Measurement),
});
export type PeersBlock = z.infer<typeof PeersBlock>;

/** The record: for each number of waiting timers the last run, fewest first. */
export const PeersResult = z.object({
  /** A reader's remarks on the figures, written into the file by hand, for the page. */
  remarks: z.array(z.string()).exactOptional(),
  blocks: z.array(PeersBlock),
});
export type PeersResult = z.infer<typeof PeersResult>;
