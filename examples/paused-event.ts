// An event pauses the expeditions that its players have under way; they go on afterwards. Expeditions that are sent during the event are not paused.
import { createKibble, type FireKind, type KibbleOptions, type Timer } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'expedition';

interface Expedition {
  readonly expeditionId: string;
  readonly playerId: string;
}

/**
 * Writes by `tx` only: it commits with the timers, and a batch that fails is tried again. One player may have several
 * in one call: first add up the player's gains, because `update ... from` changes a row once.
 */
type Return = (expeditions: readonly Expedition[], tx: Parameters<FireKind['fire']>[1]) => Promise<unknown>;

export const openExpeditions = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>, returns: Return) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        fire: async (timers, tx) => {
          const expeditions = timers.map(({ subject, owner }) => ({ expeditionId: subject, playerId: owner }));
          await returns(expeditions, tx);
        },
      },
    ],
  });

  const expeditionsOf = async (playerIds: readonly string[]) => {
    // One after the other: all at once would take the pool from the game.
    const found: Timer[] = [];
    for (const playerId of playerIds) found.push(...(await kibble.timers.listByOwner(playerId)));
    return found.filter(({ kind }) => kind === KIND);
  };
  const targets = (timers: readonly { readonly id: string }[]) => timers.map(({ id }) => ({ timerId: id }));

  return {
    kibble,

    send: (expeditionId: string, playerId: string, inMs: number) =>
      kibble.timers.schedule([{ kind: KIND, subject: expeditionId, owner: playerId, inMs }], {
        idempotencyKey: `send ${expeditionId}`,
      }),

    /** Other timers of these players go on. */
    begin: async (playerIds: readonly string[]) => kibble.timers.pause(targets(await expeditionsOf(playerIds))),

    /** Expeditions that came due during the event return at once. */
    end: async (playerIds: readonly string[]) => kibble.timers.resume(targets(await expeditionsOf(playerIds))),

    /**
     * Or: time stood still. Each paused expedition has as much time left as before the event; one that began meanwhile
     * goes on as it is. Done once for each player, however often and in whatever pages it is sent.
     */
    endAsIfTimeStoodStill: async (eventId: string, playerIds: readonly string[], lastedMs: number) => {
      for (const playerId of playerIds) {
        const key = `${eventId} for ${playerId}`;
        await kibble.timers.transaction(async (timers) => {
          // By 0: it only locks them. A repeated call returns the first call's timers, or none: another event may have paused others since.
          const own = await timers.shiftByOwner([playerId], 0, { kinds: [KIND], idempotencyKey: `end of ${key}` });
          const paused = targets(own.filter(({ isPaused }) => isPaused));
          const shifts = paused.map((target) => ({ ...target, byMs: lastedMs }));
          await timers.shift(shifts, { idempotencyKey: `shift after ${key}` });
          await timers.resume(paused, { idempotencyKey: `resume after ${key}` });
        });
      }
    },
  };
};
