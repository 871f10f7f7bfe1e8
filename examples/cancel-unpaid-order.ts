// An order that is not paid within ten minutes is cancelled: to the second, and exactly once.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'order-unpaid';
const TEN_MINUTES_MS = 600_000;

export const openShop = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        // This change commits together with the timers, for all orders that are due at once.
        fire: async (timers, tx) => {
          const orders = timers.map(({ subject }) => subject);
          await tx.query(`update purchase set state = 'cancelled' where id = any($1) and state = 'open'`, [orders]);
        },
      },
    ],
  });

  return {
    kibble,

    /** The order and its timer are committed together: none is ever without the other. A repeated order is one. */
    order: async (orderId: string, playerId: string) => {
      await kibble.timers.transaction(async (timers) => {
        const dueAtMs = timers.nowMs + TEN_MINUTES_MS;
        const { rows } = await timers.tx.query(
          `insert into purchase (id, player_id, state) values ($1, $2, 'open') on conflict do nothing returning id`,
          [orderId, playerId],
        );
        if (rows.length === 0) return;
        await timers.schedule([{ kind: KIND, subject: orderId, owner: playerId, dueAtMs }]);
      });
    },

    /** False if it was too late: of the payment and the timer only the first one takes effect. A repeated payment is one. */
    pay: (orderId: string) =>
      kibble.timers.transaction(async (timers) => {
        const [cancelled] = await timers.cancel([{ kind: KIND, subject: orderId }]);
        if (cancelled?.outcome !== 'applied') {
          const { rows } = await timers.tx.query('select state from purchase where id = $1', [orderId]);
          return rows[0]?.state === 'paid';
        }
        await timers.tx.query(`update purchase set state = 'paid' where id = $1`, [orderId]);
        return true;
      }),
  };
};
