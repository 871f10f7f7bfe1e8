// Two hours before an activity ends, all its players get a message: one timer, many players, page by page.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'
import { again } from '../server/timers.ts'; // in a game: 'colyseus-kibble/timers'

const KIND = 'activity-ends-soon';
const TWO_HOURS_MS = 7_200_000;
const PAGE = 500;

type PushAll = (playerIds: readonly string[], text: string, signal: AbortSignal) => Promise<void>;

export const openActivities = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>, pushAll: PushAll) => {
  const { pool } = host;
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        timeoutMs: 60_000,
        // One page a turn, each with its own time-out and retries. The place in the list is stored: after a fault or a crash at most one page is repeated.
        call: async ({ subject: activityId, dueAtMs }, signal) => {
          const players = await nextPage(activityId);
          if (players.length === 0) return undefined;
          await pushAll(players, 'Two hours to go!', signal);
          // `greatest`: a call that was aborted may end beside the next one.
          await pool.query('update activity set told_up_to = greatest(told_up_to, $2) where id = $1', [
            activityId,
            players.at(-1),
          ]);
          return again(dueAtMs); // In the past: at once.
        },
      },
    ],
  });

  const nextPage = async (activityId: string): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ player_id: string }>(
      `select p.player_id from activity a join participant p on p.activity_id = a.id and p.player_id > a.told_up_to
       where a.id = $1 order by p.player_id limit ${PAGE}`,
      [activityId],
    );
    return rows.map(({ player_id }) => player_id);
  };

  return {
    kibble,

    announce: async (activityId: string, endsAtMs: number) => {
      await kibble.timers.transaction(async (timers) => {
        const { rows } = await timers.tx.query(
          `insert into activity (id, told_up_to) values ($1, '') on conflict do nothing returning id`,
          [activityId],
        );
        if (rows.length === 0) return; // Sent again: it is announced.
        const dueAtMs = endsAtMs - TWO_HOURS_MS;
        await timers.schedule([{ kind: KIND, subject: activityId, owner: `activity ${activityId}`, dueAtMs }]);
      });
    },
  };
};
