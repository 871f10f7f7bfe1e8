// Daily quests: a streak grows if all three are done before the player's own midnight; a missed day breaks it.
// The module reads the end of the day once, from the calendar of the player's time zone, and copies it into the event.
import { z } from 'zod';
import { nextAt } from '../shared/calendar/work-entry.ts'; // in a game: 'colyseus-kibble/work'
import { defineModule } from '../shared/module/module.ts'; // in a game: 'colyseus-kibble/module'

const QUESTS = ['feed', 'win', 'gift'] as const;
const DAY_MS = 86_400_000;
const midnightAfter = (zone: string, ms: number): number => nextAt('0 0 * * *', zone, ms) ?? ms + DAY_MS;

const quest = z.enum(QUESTS);
// Not `Intl.supportedValuesOf`: it lacks UTC, and of two names of a zone the one that some browsers send.
const timeZone = z.string().refine((name) => {
  try {
    return midnightAfter(name, 0) > 0;
  } catch {
    return false;
  }
});
const day = { done: z.array(quest), dayEndsAtMs: z.int() };

export const quests = defineModule({
  name: 'quests',
  thing: z.object({ ...day, timeZone: z.string(), streak: z.int(), breaksAtMs: z.int().optional() }),
  initial: { timeZone: 'UTC', done: [], dayEndsAtMs: 0, streak: 0 },
  items: ['gold'],
  events: {
    begun: z.object({ timeZone: z.string() }),
    finished: z.object({ quest, dayEndsAtMs: z.int() }),
    lengthened: z.object({ streak: z.int(), breaksAtMs: z.int() }),
    broken: z.object({ streak: z.int() }),
  },
  commands: { begin: z.object({ timeZone }), finish: z.object({ quest }) },
  // Only the server knows what a player has done.
  serverOnly: ['finish'],
}).rules({
  decide: {
    begin: ({ payload: { timeZone }, things, refuse }) =>
      things.daily ? refuse('quests/begun-already') : [{ type: 'begun', thing: 'daily', timeZone }],
    finish: ({ payload: { quest }, things: { daily }, nowMs, refuse }) => {
      if (!daily) return refuse('quests/not-begun');
      const isToday = nowMs < daily.dayEndsAtMs;
      const done = isToday ? daily.done : [];
      if (done.includes(quest)) return refuse('quests/done-already', { opensAt: daily.dayEndsAtMs });
      const dayEndsAtMs = isToday ? daily.dayEndsAtMs : midnightAfter(daily.timeZone, nowMs);
      const finished = { type: 'finished', thing: 'daily', quest, dayEndsAtMs, items: { gold: 5 } } as const;
      if (done.length + 1 < QUESTS.length) return [finished];
      const streak = daily.streak + 1;
      const breaksAtMs = midnightAfter(daily.timeZone, dayEndsAtMs);
      return [finished, { type: 'lengthened', thing: 'daily', streak, breaksAtMs, items: { gold: 10 * streak } }];
    },
  },
  evolve: {
    begun: (daily, { timeZone }) => ({ ...daily, timeZone }),
    finished: (daily, { quest, dayEndsAtMs }) => ({
      ...daily,
      ...{ done: dayEndsAtMs === daily.dayEndsAtMs ? [...daily.done, quest] : [quest], dayEndsAtMs },
    }),
    lengthened: (daily, { streak, breaksAtMs }) => ({ ...daily, streak, breaksAtMs }),
    broken: ({ breaksAtMs: _, ...daily }) => ({ ...daily, streak: 0 }),
  },
  // One missed day writes one event; a year of absence writes no more.
  dueAtMs: ({ breaksAtMs }) => breaksAtMs,
  complete: ({ id, thing: { streak } }) => [{ type: 'broken', thing: id, streak }],
});
