// A stall on the market sells by itself after a while: a timer of the town's own, in the transaction with its own rows.
import type { Kibble, TimerKind } from 'colyseus-kibble';

const KIND = 'stall';
const SOLD_AFTER_MS = 1_500;
const GOLD_FOR_WOOD = 3;

/** `homes` is asked for when timers fire: it belongs to the Kibble that is made with this kind. */
export const market = (homes: () => Kibble['homes']): TimerKind => ({
  kind: KIND,
  fire: async (timers, tx) => {
    const { rows } = await tx.query<{ id: string; hero: string; wood: string }>(
      'update stall set is_sold = true where id = any($1) and not is_sold returning id, hero, wood',
      [timers.map(({ subject }) => subject)],
    );
    // In the same transaction; heroes hear of it after the commit, whatever process they are on.
    const orders = rows.map(({ id, hero, wood }) => ({
      playerId: hero,
      commandId: `sold-${id}`,
      items: { gold: GOLD_FOR_WOOD * Number(wood) },
      reason: 'market',
    }));
    // A grant that is refused throws: then nothing of this is committed, and the timer comes again.
    await homes().mustGrant(orders, { tx });
    return undefined;
  },
});

interface Offer {
  readonly hero: string;
  readonly wood: number;
  /** Chosen by the client, once for each stall: sent again it is the same one. */
  readonly stallId: string;
}

/** Puts wood on a stall. False when the hero has not that much. */
export const sellWood = async ({ homes, timers }: Kibble, { hero, wood, stallId }: Offer): Promise<boolean> => {
  const taken = await timers.transaction(async ({ tx, nowMs, schedule }) => {
    const order = { playerId: hero, commandId: `stall-${stallId}`, items: { wood }, reason: 'market' };
    const taken = await homes.take([order], { tx });
    if (!taken.outcomes[0]?.ok) return undefined;
    await tx.query('insert into stall (id, hero, wood) values ($1, $2, $3) on conflict do nothing', [
      stallId,
      hero,
      wood,
    ]);
    // Behind the rows for once: the timer is new, so no handler holds it.
    await schedule([{ kind: KIND, subject: stallId, owner: hero, dueAtMs: nowMs + SOLD_AFTER_MS }]);
    return taken;
  });
  taken?.afterCommit();
  return taken !== undefined;
};
