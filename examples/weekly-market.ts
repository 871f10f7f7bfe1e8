// A market opens each Saturday at 10, in its city's time, for 48 hours. A market that could not open in time stays closed that week.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export const openMarkets = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: 'market-opens',
        // A first attempt more than an hour late is too late: no missed turn fires, and the next turn is next Saturday's.
        misfire: { afterMs: HOUR_MS, missed: 'none' },
        fire: async (due, tx, nowMs) => {
          // A retry, and a timer that was resumed or revived, is no misfire, however late it is.
          const timers = due.filter(({ dueAtMs }) => nowMs - dueAtMs <= HOUR_MS);
          const cities = timers.map(({ subject }) => subject);
          // After an outage last week's close may be due at this moment: it becomes this week's.
          await tx.timers.scheduleOrMove(
            timers.map(({ subject, owner, dueAtMs }) => ({
              kind: 'market-closes',
              subject,
              owner,
              dueAtMs: dueAtMs + 2 * DAY_MS,
            })),
          );
          await tx.query('update market set is_open = true where city = any($1)', [cities]);
        },
      },
      {
        kind: 'market-closes',
        // However late it is: an open market must be closed.
        fire: async (timers, tx) => {
          await tx.query('update market set is_open = false where city = any($1)', [
            timers.map(({ subject }) => subject),
          ]);
        },
      },
    ],
  });

  return {
    kibble,

    /** For the weeks of a season. */
    found: (city: string, timeZone: string, weeks: number) =>
      kibble.timers.schedule([
        {
          kind: 'market-opens',
          subject: city,
          owner: city,
          cron: { expression: '0 10 * * 6', timeZone, times: weeks },
        },
      ]),
  };
};
