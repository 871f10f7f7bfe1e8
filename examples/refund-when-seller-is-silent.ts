// A seller who has not acted within six hours: the buyer gets the money back, by a service that may be down for days.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'seller-silent';
const SIX_HOURS_MS = 21_600_000;

/** Pays once for each key, however often it is asked. Throws when it cannot say that it has paid. */
type Refund = (request: { orderId: string; key: string; signal: AbortSignal }) => Promise<{ receipt: string }>;

export const openMarket = (host: Pick<KibbleOptions, 'pool' | 'clock'>, refund: Refund) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        // Outside of any transaction, at least once, with one key for all attempts: a call that timed out may have paid. What it throws is tried again after 15 s, 15 s, 30 s, 3 min ... 6 h;
        // after the fifteenth time the timer is dead: kept, listed, and revived when the service is well again.
        call: ({ idempotencyKey: key, subject }, signal) => refund({ orderId: subject, key, signal }),
      },
    ],
  });

  return {
    kibble,

    sold: async (orderId: string, sellerId: string) => {
      const dueAtMs = (await kibble.now()) + SIX_HOURS_MS;
      await kibble.timers.schedule([{ kind: KIND, subject: orderId, owner: sellerId, dueAtMs }]);
    },

    /** The seller has sent the goods, or said no: nothing is to be paid back. False when that is too late. */
    acted: async (orderId: string) => {
      const [cancelled] = await kibble.timers.cancel([{ kind: KIND, subject: orderId }]);
      return cancelled?.outcome === 'applied';
    },

    /** For the support desk: what was given up, and why. */
    givenUp: async () =>
      (await kibble.timers.listDead([KIND])).map(({ subject, lastError }) => ({ orderId: subject, lastError })),

    tryAgain: (orderIds: readonly string[]) =>
      kibble.timers.revive(orderIds.map((subject) => ({ kind: KIND, subject }))),

    /** What the service answered stands on the timer. */
    receipt: async (orderId: string) => (await kibble.timers.find([{ kind: KIND, subject: orderId }]))[0]?.result,
  };
};
