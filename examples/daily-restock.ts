// A merchant restocks every day: the timer comes again in its handler. A day is counted from the due time, so it never drifts.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'restock';
const DAY_MS = 86_400_000;

/** The first time after now that is whole days later: after days without a server there is one restock, not many. */
const nextOf = (dueAtMs: number, nowMs: number): number =>
  dueAtMs + DAY_MS * (1 + Math.floor((nowMs - dueAtMs) / DAY_MS));

export const openMarket = (host: Pick<KibbleOptions, 'pool' | 'clock'>) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        fire: async (timers, tx, nowMs) => {
          const merchants = timers.map(({ subject }) => subject);
          const { rows } = await tx.query<{ id: string }>(
            'update merchant set stock = 10 where id = any($1) and not is_retired returning id',
            [merchants],
          );
          const open = new Set(rows.map(({ id }) => id));
          // The key of a timer that is being fired: it comes again, in the same row. A retired merchant's is over.
          await tx.timers.schedule(
            timers
              .filter(({ subject }) => open.has(subject))
              .map(({ subject, owner, dueAtMs }) => ({
                kind: KIND,
                subject,
                owner,
                dueAtMs: nextOf(dueAtMs, nowMs),
              })),
          );
        },
      },
    ],
  });

  return {
    kibble,

    /** From now on each day at this time. */
    open: (merchantId: string) =>
      kibble.timers.transaction(async (timers) => {
        await timers.tx.query('insert into merchant (id, stock) values ($1, 10)', [merchantId]);
        const dueAtMs = timers.nowMs + DAY_MS;
        await timers.schedule([{ kind: KIND, subject: merchantId, owner: merchantId, dueAtMs }]);
      }),

    /** Restocks earlier from now on. False when there is nothing to move. */
    earlier: async (merchantId: string, byMs: number) => {
      const [shifted] = await kibble.timers.shift([{ kind: KIND, subject: merchantId, byMs: -byMs }]);
      return shifted?.outcome === 'applied';
    },
  };
};
