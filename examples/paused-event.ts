// While an event is open, the expeditions of its players do not return: they are paused, and go on afterwards.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'expedition';

type Return = (playerIds: readonly string[]) => void;

export const openExpeditions = (host: Pick<KibbleOptions, 'pool' | 'clock'>, returns: Return) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        fire: async (timers) => {
          returns(timers.map(({ owner }) => owner));
          return undefined;
        },
      },
    ],
  });

  const expeditionsOf = async (playerIds: readonly string[]) => {
    const lists = await Promise.all(playerIds.map((playerId) => kibble.timers.listByOwner(playerId)));
    return lists.flat().flatMap(({ kind, id }) => (kind === KIND ? [{ timerId: id }] : []));
  };

  return {
    kibble,

    send: (expeditionId: string, playerId: string, inMs: number) =>
      kibble.timers.schedule([{ kind: KIND, subject: expeditionId, owner: playerId, inMs }]),

    /** Other timers of these players go on. */
    begin: async (playerIds: readonly string[]) => kibble.timers.pause(await expeditionsOf(playerIds)),

    /** Expeditions that came due during the event return at once. */
    end: async (playerIds: readonly string[]) => kibble.timers.resume(await expeditionsOf(playerIds)),

    /** Or: time stood still. Each expedition has as much time left as before the event. Done once, however often it is sent. */
    endAsIfTimeStoodStill: async (eventId: string, playerIds: readonly string[], lastedMs: number) => {
      await kibble.timers.shiftByOwner(playerIds, lastedMs, { kinds: [KIND], idempotencyKey: `end of ${eventId}` });
      await kibble.timers.resume(await expeditionsOf(playerIds));
    },
  };
};
