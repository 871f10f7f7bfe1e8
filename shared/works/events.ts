import { z } from 'zod';
import type { Draft } from '../module/module.ts';
import { boost, order } from './thing.ts';

const whole = z.int().min(0);
const instant = z.int().min(0);
const run = z.string();
/** Operators' acts say who, and why. */
const operator = { by: z.string(), reason: z.string() };

/** What happens to a thing. Instants are epoch milliseconds, durations milliseconds. `level` is the thing's new one. */
export const worksEvents = {
  placed: z.object({ name: z.string() }),
  /** `isPaid`: it took its items now; else it takes them when it starts. */
  ordered: z.object({ order, waitsSinceMs: instant, isPaid: z.boolean() }),
  /** `card`: the repeat card that this run uses. */
  started: z.object({ activity: z.string(), run, dueAt: instant, card: z.string().optional() }),
  'card-used': z.object({
    run,
    card: z.string(),
    count: z.int().min(1),
    effect: z.enum(['finish', 'cut', 'rate', 'repeat']),
    workLeftMs: whole,
    dueAt: instant,
    boost: boost.optional(),
    wastedMs: whole.optional(),
    /** How often one card repeats. */
    times: z.int().min(1).optional(),
  }),
  /** `waitsSinceMs`: it starts again, as soon as it can. */
  finished: z.object({ activity: z.string(), run, level: whole.optional(), waitsSinceMs: instant.optional() }),
  collected: z.object({ activity: z.string(), level: whole.optional(), waitsSinceMs: instant.optional() }),
  cancelled: z.object({ activity: z.string(), by: operator.by.optional(), reason: operator.reason.optional() }),
  reordered: z.object({ waitsSinceMs: instant }),
  removed: z.object({}),
  shifted: z.object({ run, byMs: z.int(), workLeftMs: whole, dueAt: instant, ...operator }),
} as const;

export type WorksEvents = typeof worksEvents;
export type WorksDraft = Draft<WorksEvents>;
