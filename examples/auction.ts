// An auction lasts five minutes longer after each late bid. A bid after the end is refused, even if no process has closed the auction yet.
import { createKibble, type FireKind, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'auction';
const LATE_MS = 5 * 60_000;

interface Bid {
  readonly bidder: string;
  readonly gold: number;
}

/** Writes by `tx` only: it commits with the end of the auction, and a batch that fails is tried again. */
type Sold = (auctionId: string, bid: Bid | null, tx: Parameters<FireKind['fire']>[1]) => Promise<unknown>;

class Over extends Error {}

export const openAuctions = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>, sold: Sold) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        fire: async (timers, tx) => {
          for (const { subject, payload } of timers) await sold(subject, payload as Bid | null, tx);
        },
      },
    ],
  });

  return {
    kibble,

    open: (auctionId: string, seller: string, inMs: number) =>
      kibble.timers.schedule([{ kind: KIND, subject: auctionId, owner: seller, inMs, payload: null }], {
        idempotencyKey: `open ${auctionId}`,
      }),

    bid: (auctionId: string, bid: Bid) =>
      kibble.timers
        .transaction(async (timers) => {
          // A shift by 0 locks the timer: bids run one after the other, and none runs beside the end.
          const [locked] = await timers.shift([{ kind: KIND, subject: auctionId, byMs: 0 }]);
          // The rollback undoes the shift, because a shift resets the attempts of an end that is retried.
          if (locked?.outcome !== 'applied' || locked.timer.dueAtMs <= timers.nowMs) throw new Over();
          const { id: timerId, dueAtMs, payload } = locked.timer;
          const best = payload as Bid | null;
          // Sent again after a lost answer.
          if (best?.bidder === bid.bidder && best.gold === bid.gold) return 'leads';
          if (bid.gold <= (best?.gold ?? 0)) return 'too-low';
          await timers.setPayload([{ timerId, payload: bid }]);
          await timers.reschedule([{ timerId, dueAtMs: Math.max(dueAtMs, timers.nowMs + LATE_MS) }]);
          return 'leads';
        })
        .catch((error: unknown) => {
          if (error instanceof Over) return 'over';
          throw error;
        }),
  };
};
