// A stall on the market sells by itself after a while: a timer of the town's own, in the transaction with its own rows.
import type { Kibble, TimerKind } from 'colyseus-kibble';

const KIND = 'stall';
const SOLD_AFTER_MS = 1_500;
const GOLD_FOR_WOOD = 3;

/** `homes` is called when timers fire, because the Kibble with this kind is made later. */
export const market = (homes: () => Kibble['homes']): TimerKind => ({
  kind: KIND,
  fire: async (timers, tx) => {
    const { rows } = await tx.query<{ id: string; hero: string; wood: string }>(
      'update stall set is_sold = true where id = any($1) and not is_sold returning id, hero, wood',
      [timers.map(({ subject }) => subject)],
    );
    // In the same transaction; heroes see it after the commit, on any process.
    const orders = rows.map(({ id, hero, wood }) => ({
      playerId: hero,
      commandId: `sold-${id}`,
      items: { gold: GOLD_FOR_WOOD * Number(wood) },
      reason: 'market',
    }));
    // A refused grant throws: then nothing is committed, and the timer is retried.
    await homes().mustGrant(orders, { tx });
    return undefined;
  },
});

interface Offer {
  readonly hero: string;
  readonly wood: number;
  /** The client chooses one id for each stall: a repetition is the same stall. */
  readonly stallId: string;
}

/** Puts wood on a stall. False after a final refusal, such as too little wood. Throws a refusal for now. */
export const sellWood = async ({ homes, timers }: Kibble, { hero, wood, stallId }: Offer): Promise<boolean> => {
  const { taken, isOffered } = await timers.transaction(async ({ tx, nowMs, schedule }) => {
    const hasStall = async (): Promise<boolean> => {
      const { rows } = await tx.query('select id from stall where id = $1 and hero = $2', [stallId, hero]);
      return rows.length > 0;
    };
    // Sent again: it has its timer, or was sold. Asked before the take: after the retention has deleted the event of the
    // first take, a repeated command takes again.
    if (await hasStall()) return { isOffered: true };
    const order = { playerId: hero, commandId: `stall-${stallId}`, items: { wood }, reason: 'market' };
    const taken = await homes.take([order], { tx });
    const [outcome] = taken.outcomes;
    if (outcome?.ok === false && outcome.error.retryable) throw new Error(outcome.error.code);
    if (!outcome?.ok) return { taken, isOffered: false };
    const { rows } = await tx.query<{ id: string }>(
      'insert into stall (id, hero, wood) values ($1, $2, $3) on conflict do nothing returning id',
      [stallId, hero, wood],
    );
    if (rows.length === 0) {
      if (!(await hasStall())) throw new Error(`${stallId} is the stall of another hero`); // the wood stays
      return { taken, isOffered: true }; // Sent twice at once: the home's lock let this one wait.
    }
    // After the rows, against the usual lock order: the timer is new, so no handler has locked it.
    await schedule([{ kind: KIND, subject: stallId, owner: hero, dueAtMs: nowMs + SOLD_AFTER_MS }]);
    return { taken, isOffered: true };
  });
  // Also after a refusal: the home may have settled.
  taken?.afterCommit();
  return isOffered;
};
