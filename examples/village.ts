// A village: buildings with levels, two builders, a queue, a speed-up and a boost. A module of 60 lines; see docs/modules.md.
import { z } from 'zod';
import { defineModule } from '../shared/module/module.ts'; // in a game: 'colyseus-kibble/module'
import { boosted, cut, dueAtMs, restate } from '../shared/work.ts'; // in a game: 'colyseus-kibble/work'

const HOUR_MS = 3_600_000;
const levels = [10, 40, 200].map((wood, level) => ({ wood, workMs: 4 ** level * HOUR_MS }));
const limits = { builders: 2, queue: 2 };
const work = z.object({ leftMs: z.int(), sinceAtMs: z.int() });
const boost = z.object({ rate: z.int(), endsAtMs: z.int() });
const queued = z.object({ sinceMs: z.int(), workMs: z.int() });
const site = z.object({ level: z.int(), queued: queued.optional(), work: work.optional(), boost: boost.optional() });
const named = { site: z.enum(['hall', 'mill', 'barn', 'wall', 'well']) };
const count = (sites: object, what: 'work' | 'queued') => Object.values(sites).filter((one) => one[what]).length;

export const village = defineModule({
  name: 'village',
  thing: site,
  initial: { level: 0 },
  items: ['wood', 'gold', 'hourglass', 'flag'],
  events: {
    queued: z.object({ workMs: z.int() }),
    started: z.object({ work }),
    'card-used': z.object({ card: z.string(), work, boost: boost.optional() }),
    finished: z.object({ level: z.int() }),
  },
  commands: { upgrade: z.object(named), 'use-card': z.object({ ...named, card: z.enum(['hourglass', 'flag']) }) },
}).rules({
  decide: {
    upgrade: ({ payload, things, refuse }) => {
      const site = things[payload.site];
      const level = levels[site?.level ?? 0];
      if (!level || site?.work || site?.queued) return refuse(level ? 'village/busy' : 'village/highest');
      if (count(things, 'queued') >= limits.queue) return refuse('village/queue-full', { max: limits.queue });
      return [{ type: 'queued', thing: payload.site, workMs: level.workMs, items: { wood: -level.wood } }];
    },
    'use-card': ({ payload, things, nowMs, refuse }) => {
      const { site, card } = payload;
      const { work, boost } = things[site] ?? {};
      if (!work) return refuse('village/idle');
      const left = restate(work, boost, nowMs);
      const used = { type: 'card-used', thing: site, card, items: { [card]: -1 } } as const;
      return card === 'hourglass'
        ? [{ ...used, work: cut(left, 2 * HOUR_MS).work }]
        : [{ ...used, work: left, boost: boosted(boost, 2, HOUR_MS, nowMs) }];
    },
  },
  evolve: {
    queued: (site, { at, workMs }) => ({ ...site, queued: { sinceMs: at, workMs } }),
    started: ({ queued: _, ...site }, { work }) => ({ ...site, work }),
    'card-used': (site, { work, boost }) => ({ ...site, work, ...(boost && { boost }) }),
    finished: ({ work: _, ...site }, { level }) => ({ ...site, level }),
  },
  dueAtMs: ({ work, boost }) => work && dueAtMs(work, boost),
  complete: ({ id, thing }) => [{ type: 'finished', thing: id, level: thing.level + 1, items: { gold: 5 } }],
  waitingSinceMs: ({ queued }) => queued?.sinceMs,
  goOn: ({ id, thing, things, nowMs }) =>
    thing.queued && count(things, 'work') < limits.builders
      ? [{ type: 'started', thing: id, work: { leftMs: thing.queued.workMs, sinceAtMs: nowMs } }]
      : [],
});
