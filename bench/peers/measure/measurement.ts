import { z } from 'zod';
import { Measurement as Found, jobOf, Run } from '../../harness/contender-run.ts';

/** What one process found of one contender. */
export const Measurement = Found.extend({ settings: z.string() });
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
export const Job = jobOf(Sizes);
export type Job = z.infer<typeof Job>;

/** What was measured with so many timers waiting, in one go. */
export const PeersBlock = Run.extend({
  pending: z.number(),
  sizes: Sizes,
  measurements: z.array(Measurement),
});
export type PeersBlock = z.infer<typeof PeersBlock>;

/** What is kept: of each number of waiting timers what was measured last, fewest first. */
export const PeersResult = z.object({
  /** Of whoever read the figures; written into the file by hand, for the page. */
  remarks: z.array(z.string()).exactOptional(),
  blocks: z.array(PeersBlock),
});
export type PeersResult = z.infer<typeof PeersResult>;
