// An order without a review after 48 hours gets five stars. The buyer may ask for a day more.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'auto-review';
const DAY_MS = 86_400_000;

export const openReviews = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        fire: async (timers, tx) => {
          const orders = timers.map(({ subject }) => subject);
          // An order that is delivered again after the retention has its review already.
          await tx.query('insert into review (order_id, stars) select unnest($1::text[]), 5 on conflict do nothing', [
            orders,
          ]);
        },
      },
    ],
  });

  return {
    kibble,

    /** Once for each order, also when it is delivered again after its review. */
    delivered: async (orderId: string, buyerId: string) => {
      const timer = { kind: KIND, subject: orderId, owner: buyerId, inMs: 2 * DAY_MS };
      await kibble.timers.schedule([timer], { idempotencyKey: `delivered ${orderId}` });
    },

    /**
     * Shifts add up: two requests at once give two days. A repeated request gives no second day, and the first
     * answer. False if the review exists already.
     */
    moreTime: async (orderId: string, requestId: string) => {
      const [shifted] = await kibble.timers.shift([{ kind: KIND, subject: orderId, byMs: DAY_MS }], {
        idempotencyKey: `more time for ${orderId}: ${requestId}`,
      });
      return shifted?.outcome === 'applied';
    },

    /** False when the five stars came first. A repeated review is one. */
    review: (orderId: string, stars: number) =>
      kibble.timers.transaction(async (timers) => {
        const [cancelled] = await timers.cancel([{ kind: KIND, subject: orderId }]);
        if (cancelled?.outcome !== 'applied') {
          const { rows } = await timers.tx.query('select stars from review where order_id = $1', [orderId]);
          return rows[0]?.stars === stars;
        }
        await timers.tx.query('insert into review (order_id, stars) values ($1, $2)', [orderId, stars]);
        return true;
      }),
  };
};
