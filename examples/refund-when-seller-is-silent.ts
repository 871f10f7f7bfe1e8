// A seller does not act within six hours: the buyer gets the money back, by a payment service that may be down for days.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'seller-silent';
const SIX_HOURS_MS = 21_600_000;

/** Pays once for each key, however often it is called. Throws unless it is sure that it has paid. */
type Refund = (request: { orderId: string; key: string; signal: AbortSignal }) => Promise<{ receipt: string }>;

class TooLate extends Error {}

export const openMarket = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>, refund: Refund) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        // Runs outside of any transaction, at least once, with one key for all attempts: a call that timed out may have paid. After an error it is retried: after 15 s, 15 s, 30 s, 3 min ... 6 h.
        // If the fifteenth retry fails too, the timer is dead: it is stored, listed, and can be revived when the service works again.
        // The key is the order's, not the timer's: a sale that a queue delivers again after the retention makes another timer.
        call: ({ subject }, signal) => refund({ orderId: subject, key: `refund ${subject}`, signal }),
      },
    ],
  });

  return {
    kibble,

    /** Once for each order, also after the seller has acted, as long as finished timers are kept (`timerRetentionMs`, 30 days). */
    sold: async (orderId: string, sellerId: string) => {
      const timer = { kind: KIND, subject: orderId, owner: sellerId, inMs: SIX_HOURS_MS };
      await kibble.timers.schedule([timer], { idempotencyKey: `sold ${orderId}` });
    },

    /** The seller has sent the goods, or refused: there is no refund. False if that comes too late. */
    acted: (orderId: string) =>
      kibble.timers
        .transaction(async (timers) => {
          const onceOnly = { idempotencyKey: `acted ${orderId}` };
          const [cancelled] = await timers.cancel([{ kind: KIND, subject: orderId }], onceOnly);
          // From its due time on a call may have paid, whatever became of its answer. The rollback leaves the timer alone.
          // Sent again after a lost answer, the key returns the row of the first call: its own times say whether it was late.
          if (cancelled?.outcome !== 'applied' || cancelled.timer.dueAtMs <= cancelled.timer.updatedAtMs)
            throw new TooLate();
          return true;
        })
        .catch((error: unknown) => {
          if (error instanceof TooLate) return false;
          throw error;
        }),

    /** For the support desk: the dead refunds, and why they failed. */
    givenUp: async () =>
      (await kibble.timers.listDead([KIND])).map(({ subject, lastError }) => ({ orderId: subject, lastError })),

    tryAgain: (orderIds: readonly string[]) =>
      kibble.timers.revive(orderIds.map((subject) => ({ kind: KIND, subject }))),

    /** The result of the service, from the row of the timer. */
    receipt: async (orderId: string) => (await kibble.timers.find([{ kind: KIND, subject: orderId }]))[0]?.result,
  };
};
