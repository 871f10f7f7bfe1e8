// Two hours before a coupon expires, its owner finds a notice in the inbox. A used coupon gives none; an extended one gives it later.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'coupon-expires-soon';
const TWO_HOURS_MS = 7_200_000;

export const openCoupons = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        fire: async (timers, tx) => {
          await tx.query(
            `insert into notice (player_id, text)
             select player_id, 'Coupon ' || coupon || ' expires in two hours' from unnest($1::text[], $2::text[])
               as n(player_id, coupon)`,
            [timers.map(({ owner }) => owner), timers.map(({ subject }) => subject)],
          );
        },
      },
    ],
  });

  return {
    kibble,

    /** A campaign gives thousands at once, in one statement. The same list under the same id is given once. */
    give: (listId: string, coupons: readonly { couponId: string; playerId: string; expiresAtMs: number }[]) =>
      kibble.timers.schedule(
        coupons.map(({ couponId, playerId, expiresAtMs }) => ({
          kind: KIND,
          subject: couponId,
          owner: playerId,
          dueAtMs: expiresAtMs - TWO_HOURS_MS,
        })),
        { idempotencyKey: `give ${listId}` },
      ),

    used: (couponId: string) => kibble.timers.cancel([{ kind: KIND, subject: couponId }]),

    /** For an unused coupon; after its notice a second one comes. A call that is repeated with its id changes nothing. */
    extend: (extensionId: string, couponId: string, playerId: string, expiresAtMs: number) =>
      kibble.timers.scheduleOrMove(
        [{ kind: KIND, subject: couponId, owner: playerId, dueAtMs: expiresAtMs - TWO_HOURS_MS }],
        { idempotencyKey: `extend ${couponId}: ${extensionId}` },
      ),
  };
};
