import { z } from 'zod';
import { text } from '../text.ts';

const id = text(1, 200);
const named = text(1, 64);
/** The run that is meant; another one since: `works/already-done`. Missing: whatever runs. */
const run = id.optional();
/** More than a slot's queue and all repeated ones that wait there. */
const MOST_WAITING = 10_000;

/** What players may ask. `thing` is a thing's id, but in `place` its name. */
export const worksCommands = {
  place: z.object({ thing: named }),
  start: z.object({ thing: id, activity: named }),
  'use-card': z.object({
    thing: id,
    card: named,
    run,
    /** Cards of one kind at once, all or none; not of one that finishes. */
    count: z.int().min(1).max(1000).optional(),
    /** Refused if a finish costs more. */
    maxCount: z.int().min(0).optional(),
    /** Refused if a cut wastes more. */
    maxWastedMs: z.int().min(0).optional(),
  }),
  cancel: z.object({ thing: id, run }),
  collect: z.object({ thing: id }),
  reorder: z.object({ slot: named, things: z.array(id).max(MOST_WAITING) }),
  remove: z.object({ thing: id }),
} as const;

export type WorksCommands = typeof worksCommands;
export type WorksPayload<Type extends keyof WorksCommands> = z.output<WorksCommands[Type]>;
