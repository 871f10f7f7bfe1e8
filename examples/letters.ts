// Letters with a reward: a player opens a letter once; a closed letter disappears on the seventh midnight. A letter to many players may
// be sent again within 90 days (`eventRetentionMs`): its id makes that harmless.
import { z } from 'zod';
import { nextAt } from '../shared/calendar/work-entry.ts'; // in a game: 'colyseus-kibble/work'
import { defineModule } from '../shared/module/module.ts'; // in a game: 'colyseus-kibble/module'

const MOST = 50;
const NIGHTS = 7;
const DAY_MS = 86_400_000;
const ITEMS = ['gold', 'gem'];
const reward = z
  .record(z.string(), z.int().min(1))
  .refine((items) => Object.keys(items).every((one) => ITEMS.includes(one)));
const letter = { title: z.string().min(1).max(80), reward };

export const letters = defineModule({
  name: 'letters',
  thing: z.object({ ...letter, expiresAtMs: z.int() }),
  initial: { title: '', reward: {}, expiresAtMs: 0 },
  items: ITEMS,
  events: {
    arrived: z.object({ ...letter, expiresAtMs: z.int() }),
    opened: z.object({ title: z.string() }),
    expired: z.object({ title: z.string() }),
  },
  commands: { send: z.object(letter), open: z.object({ letter: z.string() }) },
  serverOnly: ['send'],
}).rules({
  decide: {
    send: ({ payload, things, newId, nowMs, refuse }) => {
      if (Object.keys(things).length >= MOST) return refuse('letters/full', { most: MOST });
      // Midnight by midnight: a day may have 23 or 25 hours.
      let expiresAtMs = nowMs;
      for (let night = 0; night < NIGHTS; night += 1)
        expiresAtMs = nextAt('0 0 * * *', 'Europe/Berlin', expiresAtMs) ?? expiresAtMs + DAY_MS;
      return [{ type: 'arrived', thing: newId, ...payload, expiresAtMs }];
    },
    open: ({ payload, things, refuse }) => {
      const letter = things[payload.letter];
      if (!letter) return refuse('letters/gone');
      return [{ type: 'opened', thing: payload.letter, title: letter.title, items: letter.reward }];
    },
  },
  evolve: {
    arrived: (_, { title, reward, expiresAtMs }) => ({ title, reward, expiresAtMs }),
    opened: () => undefined,
    expired: () => undefined,
  },
  dueAtMs: ({ expiresAtMs }) => expiresAtMs,
  complete: ({ id, thing: { title } }) => [{ type: 'expired', thing: id, title }],
});

interface Letter {
  readonly title: string;
  readonly reward: z.infer<typeof reward>;
}

/** The orders for `kibble.homes.handle`: a player that has the letter does not get it again. */
export const toAll = (playerIds: readonly string[], letterId: string, letter: Letter) =>
  playerIds.map((playerId) => ({
    ...{ playerId, type: 'letters:send' as const, payload: { commandId: `letter:${letterId}`, ...letter } },
  }));
