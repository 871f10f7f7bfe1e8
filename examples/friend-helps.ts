// A friend helps, at most three times until midnight: the building is done sooner, and the helper gets a heart. One `handle` changes both
// homes in one transaction.
import { z } from 'zod';
import { createKibble, type KibbleOptions, works } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'
import { nextAt } from '../shared/calendar/work-entry.ts'; // in a game: 'colyseus-kibble/work'
import { defineModule } from '../shared/module/module.ts'; // in a game: 'colyseus-kibble/module'

const A_DAY = 3;
const DAY_MS = 86_400_000;

const favours = defineModule({
  name: 'favours',
  thing: z.object({ done: z.int(), dayEndsAtMs: z.int() }),
  initial: { done: 0, dayEndsAtMs: 0 },
  items: ['heart'],
  events: { done: z.object({ friend: z.string(), dayEndsAtMs: z.int() }) },
  commands: { do: z.object({ friend: z.string() }) },
  serverOnly: ['do'],
}).rules({
  decide: {
    do: ({ payload, things: { today }, nowMs, refuse }) => {
      const isToday = today !== undefined && nowMs < today.dayEndsAtMs;
      if (isToday && today.done >= A_DAY) return refuse('favours/enough', { opensAt: today.dayEndsAtMs });
      const dayEndsAtMs = isToday ? today.dayEndsAtMs : (nextAt('0 0 * * *', 'Europe/Berlin', nowMs) ?? nowMs + DAY_MS);
      return [{ type: 'done', thing: 'today', ...payload, dayEndsAtMs, items: { heart: 1 } }];
    },
  },
  evolve: {
    done: (today, { dayEndsAtMs }) => ({ done: today.dayEndsAtMs === dayEndsAtMs ? today.done + 1 : 1, dayEndsAtMs }),
  },
});

const town = works({
  name: 'town',
  rules: {
    things: { hall: { limit: 1 } },
    activities: { build: { on: ['hall'], workMs: '4h', gives: { level: 1 } } },
    cards: { hand: { effect: 'cut', workMs: '30m' } },
  },
});

export const openTowns = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>) => {
  const kibble = createKibble({ ...host, playerId: ({ sub }) => sub, modules: [town, favours] });

  /** Done once, however often it is sent with the same id, as long as events are kept (`eventRetentionMs`, 90 days). Throws the code of the refusal; then nothing has changed. */
  const help = async (id: string, helper: string, friend: string): Promise<void> => {
    const hand = { commandId: `${id}:hand`, items: { hand: 1 }, reason: `from ${helper}` };
    const use = { commandId: id, thing: 'hall', card: 'hand', maxWastedMs: 0 };
    const { afterCommit } = await kibble.timers.transaction(async ({ tx }) => {
      const orders = [
        { playerId: helper, type: 'favours:do', payload: { commandId: id, friend } },
        { playerId: friend, type: 'home:grant', payload: hand },
        { playerId: friend, type: 'town:use-card', payload: use },
      ] as const;
      const handled = await kibble.homes.handle(orders, { tx });
      for (const outcome of handled.outcomes) if (!outcome.ok) throw new Error(outcome.error.code);
      return handled;
    });
    afterCommit();
  };
  return { kibble, help };
};
