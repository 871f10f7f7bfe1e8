// Deadlines as data: a receipt is confirmed by itself after seven days, a service is overdue after three. Another deadline is one more line.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const DAY_MS = 86_400_000;

interface Deadline {
  readonly kind: string;
  readonly state: string;
  readonly days: number;
  readonly becomes: string;
}

/** The next state of an order that is still in a state after so many days. */
const deadlines: readonly Deadline[] = [
  { kind: 'confirm-receipt', state: 'sent', days: 7, becomes: 'received' },
  { kind: 'auto-rate', state: 'received', days: 14, becomes: 'rated' },
  { kind: 'service-overdue', state: 'complained', days: 3, becomes: 'refunded' },
];

/** The timers that begin when an order enters a state, by a call or by a deadline. */
const deadlinesOf = (state: string, order: { readonly subject: string; readonly owner: string }, atMs: number) =>
  deadlines
    .filter((deadline) => deadline.state === state)
    .map(({ kind, days }) => ({ kind, ...order, dueAtMs: atMs + days * DAY_MS }));

class Elsewhere extends Error {}

export const openOrders = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: deadlines.map(({ kind, state, becomes }) => ({
      kind,
      fire: async (timers, tx) => {
        // Only from its state, and moved if it is there: two changes at once may have left a deadline of the other one.
        const { rows } = await tx.query<{ id: string }>(
          'update trade set state = $2 where id = any($1) and state = $3 returning id',
          [timers.map(({ subject }) => subject), becomes, state],
        );
        const changed = new Set(rows.map(({ id }) => id));
        const ended = timers.filter(({ subject }) => changed.has(subject));
        await tx.timers.scheduleOrMove(
          ended.flatMap(({ subject, owner, dueAtMs }) => deadlinesOf(becomes, { subject, owner }, dueAtMs)),
        );
      },
    })),
  });

  /** The order is new (without `from`), or leaves `from`: its old deadline ends, and the next one begins. False if it is in another state, as after a repetition. */
  const enter = (orderId: string, buyerId: string, state: string, from?: string): Promise<boolean> =>
    kibble.timers
      .transaction(async (timers) => {
        await timers.cancel(deadlines.map(({ kind }) => ({ kind, subject: orderId })));
        const { rows } =
          from === undefined
            ? await timers.tx.query(
                'insert into trade (id, state) values ($1, $2) on conflict do nothing returning id',
                [orderId, state],
              )
            : await timers.tx.query('update trade set state = $2 where id = $1 and state = $3 returning id', [
                orderId,
                state,
                from,
              ]);
        // The rollback leaves the old deadline alone.
        if (rows.length === 0) throw new Elsewhere();
        await timers.scheduleOrMove(deadlinesOf(state, { subject: orderId, owner: buyerId }, timers.nowMs));
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof Elsewhere) return false;
        throw error;
      });

  return { kibble, enter };
};
