import { z } from 'zod';
import type { Draft } from '../module/module.ts';
import { text } from '../text.ts';
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
  /** What is auto goes on by this. */
  renewed: z.object({ order }),
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
  finished: z.object({
    activity: z.string(),
    run,
    level: whole.optional(),
    waitsSinceMs: instant.optional(),
    /** What chance gave, which `items` have too unless it is to be collected; `prize`: the place in the order's table. */
    drawn: z.object({ items: z.record(z.string(), whole), prize: whole.optional() }).optional(),
  }),
  /** What takes no time. `isConsumed`: the thing is gone. */
  done: z.object({ activity: z.string(), level: whole.optional(), isConsumed: z.literal(true).optional() }),
  collected: z.object({ activity: z.string(), level: whole.optional(), waitsSinceMs: instant.optional() }),
  cancelled: z.object({ activity: z.string(), by: operator.by.optional(), reason: operator.reason.optional() }),
  reordered: z.object({ waitsSinceMs: instant }),
  removed: z.object({}),
  shifted: z.object({ run, byMs: z.int(), workLeftMs: whole, dueAt: instant, ...operator }),
} as const;

export type WorksEvents = typeof worksEvents;
export type WorksDraft = Draft<WorksEvents>;

const id = text(1, 200);
const named = text(1, 64);
/** The run that is meant; another one since: `works/already-done`. Missing: whatever runs. */
const meantRun = id.optional();
/** More than a slot's queue and all repeated ones that wait there. */
const MOST_WAITING = 10_000;

/** What players may ask. `thing` is a thing's id, but in `place` its name. */
export const worksCommands = {
  place: z.object({ thing: named }),
  start: z.object({ thing: id, activity: named }),
  'use-card': z.object({
    thing: id,
    card: named,
    run: meantRun,
    /** Cards of one kind at once, all or none; not of one that finishes. */
    count: z.int().min(1).max(1000).optional(),
    /** Refused if a finish costs more. */
    maxCount: z.int().min(0).optional(),
    /** Refused if a cut wastes more. */
    maxWastedMs: z.int().min(0).optional(),
  }),
  cancel: z.object({ thing: id, run: meantRun }),
  collect: z.object({ thing: id }),
  reorder: z.object({ slot: named, things: z.array(id).max(MOST_WAITING) }),
  remove: z.object({ thing: id }),
} as const;

export type WorksCommands = typeof worksCommands;
export type WorksPayload<Type extends keyof WorksCommands> = z.output<WorksCommands[Type]>;
