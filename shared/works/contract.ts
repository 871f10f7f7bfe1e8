import { z } from 'zod';
import type { Draft } from '../module/module.ts';
import { text } from '../rule-shapes.ts';
import { boost, orderShape } from './thing.ts';

const whole = z.int().min(0);
const instant = z.int().min(0);
const run = z.string();
/** The operator's name and reason. */
const operator = { by: z.string(), reason: z.string() };

/** Events of a thing. Instants are epoch milliseconds, durations milliseconds. `level`: the thing's new level. */
export const worksEvents = {
  placed: z.object({ name: z.string() }),
  /** `isPaid`: its items were taken now; if not, they are taken at the start. */
  ordered: z.object({ order: orderShape, waitsSinceMs: instant, isPaid: z.boolean() }),
  /** Gives an auto order new numbers, or `isAuto: false`: it ends with its next end. */
  renewed: z.object({ order: orderShape }),
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
  /** `waitsSinceMs`: it starts again as soon as it can. */
  finished: z.object({
    activity: z.string(),
    run,
    level: whole.optional(),
    waitsSinceMs: instant.optional(),
    /** The drawn items, which are part of `items` unless they must be collected; `prize`: its place in the order's table. */
    drawn: z.object({ items: z.record(z.string(), whole), prize: whole.optional() }).optional(),
  }),
  /** An activity that takes no time. `isConsumed`: the thing is removed. */
  done: z.object({ activity: z.string(), level: whole.optional(), isConsumed: z.literal(true).optional() }),
  /** `activity`: the thing's present one; missing: it rests. */
  collected: z.object({ activity: z.string().optional(), level: whole.optional(), waitsSinceMs: instant.optional() }),
  cancelled: z.object({ activity: z.string(), by: operator.by.optional(), reason: operator.reason.optional() }),
  reordered: z.object({ waitsSinceMs: instant }),
  removed: z.object({}),
  shifted: z.object({ run, byMs: z.int(), workLeftMs: whole, dueAt: instant, ...operator }),
} as const;

export type WorksEvents = typeof worksEvents;
export type WorksDraft = Draft<WorksEvents>;

const id = text(1, 200);
const named = text(1, 64);
/** The run that the player means; if another one runs now: `works/already-done`. Missing: the present run. */
const meantRun = id.optional();
/** More than a slot's queue and all waiting repetitions. */
const MOST_WAITING = 10_000;

/** Players' commands. `thing` is a thing's id, in `place` its name. */
export const worksCommands = {
  place: z.object({ thing: named }),
  start: z.object({ thing: id, activity: named }),
  'use-card': z.object({
    thing: id,
    card: named,
    run: meantRun,
    /** Cards of one kind at once, all or none; not for a card that finishes. */
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
