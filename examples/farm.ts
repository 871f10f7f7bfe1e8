// A farm: a crop ripens, is collected by hand, and withers if it is not collected. A module of 60 lines; see docs/modules.md.
import { z } from 'zod';
import { defineModule } from '../shared/module/module.ts'; // in a game: 'colyseus-kibble/module'
import { boosted, cut, dueAtMs, restate } from '../shared/work.ts'; // in a game: 'colyseus-kibble/work'

const HOUR_MS = 3_600_000;
const work = z.object({ leftMs: z.int(), sinceAtMs: z.int() });
const boost = z.object({ rate: z.int(), endsAtMs: z.int() });
const growing = { work: work.optional(), boost: boost.optional() };
const plot = z.object({ ...growing, freshMs: z.int(), withersAtMs: z.int().optional() });
const named = { plot: z.enum(['a', 'b', 'c', 'd']) };

export const farm = defineModule({
  name: 'farm',
  thing: plot,
  initial: { freshMs: 0 },
  items: ['seed', 'wheat', 'water', 'manure'],
  events: {
    sown: z.object({ work, freshMs: z.int() }),
    'card-used': z.object({ card: z.string(), work, boost: boost.optional() }),
    ripened: z.object({}),
    withered: z.object({}),
    collected: z.object({}),
  },
  commands: {
    sow: z.object(named),
    'use-card': z.object({ ...named, card: z.enum(['water', 'manure']) }),
    collect: z.object(named),
  },
}).rules({
  decide: {
    sow: ({ payload: { plot }, things, nowMs, refuse }) => {
      if (things[plot]) return refuse('farm/sown-already', { plot });
      const sown = { leftMs: 4 * HOUR_MS, sinceAtMs: nowMs };
      return [{ type: 'sown', thing: plot, work: sown, freshMs: 8 * HOUR_MS, items: { seed: -1 } }];
    },
    'use-card': ({ payload: { plot, card }, things, nowMs, refuse }) => {
      const { work, boost } = things[plot] ?? {};
      if (!work) return refuse('farm/nothing-grows', { plot });
      const left = restate(work, boost, nowMs);
      const used = { type: 'card-used', thing: plot, card, items: { [card]: -1 } } as const;
      return card === 'water'
        ? [{ ...used, work: cut(left, 2 * HOUR_MS).work }]
        : [{ ...used, work: left, boost: boosted(boost, 2, HOUR_MS, nowMs) }];
    },
    collect: ({ payload: { plot }, things, refuse }) =>
      things[plot]?.withersAtMs
        ? [{ type: 'collected', thing: plot, items: { wheat: 3 } }]
        : refuse('farm/nothing-ripe', { plot }),
  },
  evolve: {
    sown: (_, { work, freshMs }) => ({ work, freshMs }),
    'card-used': (plot, { work, boost }) => ({ ...plot, work, ...(boost && { boost }) }),
    ripened: ({ freshMs }, { at }) => ({ freshMs, withersAtMs: at + freshMs }),
    withered: () => undefined,
    collected: () => undefined,
  },
  dueAtMs: ({ work, boost, withersAtMs }) => (work ? dueAtMs(work, boost) : withersAtMs),
  complete: ({ id, thing }) => [{ type: thing.work ? 'ripened' : 'withered', thing: id }],
});
