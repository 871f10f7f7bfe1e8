// Quests are reset at each player's own midnight, in the player's time zone, also in the nights when clocks change.
import { createKibble, type KibbleOptions, nextTimes, type Timer } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'daily-reset';

export const openQuests = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        // After an outage of days there is one reset; `missed` counts the other nights, which end the streak.
        fire: async (timers, tx) => {
          await tx.query(
            `update quests set done = 0, streak = case when n.missed = 0 and done > 0 then streak + 1 else 0 end
             from unnest($1::text[], $2::int[]) as n(player, missed) where quests.player = n.player`,
            [timers.map(({ owner }) => owner), timers.map(({ missed }) => missed)],
          );
        },
      },
    ],
  });
  const timerOf = (player: string, timeZone: string) => ({
    kind: KIND,
    subject: player,
    owner: player,
    cron: { expression: '0 0 * * *', timeZone },
  });

  /** Several moves before one reset count from the same midnight: the timer of an earlier move has it. */
  const dueBeforeMoves = ({ turn, dueAtMs, recurrence }: Timer): number =>
    (turn === 1 && recurrence && 'cron' in recurrence ? recurrence.cron.fromMs : undefined) ?? dueAtMs;

  return {
    kibble,

    /** From now on each midnight of that zone. Throws `OptionsRefused` for a zone that does not exist. */
    welcome: (player: string, timeZone: string) =>
      kibble.timers.transaction(async (timers) => {
        await timers.schedule([timerOf(player, timeZone)]);
        await timers.tx.query('insert into quests (player) values ($1)', [player]);
      }),

    /** The player has moved: the next reset is at the first midnight there that is no earlier than the one that was due. No move gains a day. */
    move: (player: string, timeZone: string) =>
      kibble.timers.transaction(async (timers) => {
        const [left] = await timers.cancel([{ kind: KIND, subject: player }]);
        const fromMs = left?.outcome === 'applied' ? dueBeforeMoves(left.timer) : timers.nowMs;
        const { cron, ...timer } = timerOf(player, timeZone);
        const [dueAtMs = fromMs] = nextTimes({ cron }, fromMs - 1, 1);
        await timers.schedule([{ ...timer, dueAtMs, cron: { ...cron, fromMs } }]);
      }),
  };
};
