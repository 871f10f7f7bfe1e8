// Deadlines as data: a receipt is confirmed by itself after seven days, a service is overdue after three. Another deadline is one more line.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const DAY_MS = 86_400_000;

/** The next state of an order that is still in a state after so many days. */
const deadlines = [
  { kind: 'confirm-receipt', state: 'sent', days: 7, becomes: 'received' },
  { kind: 'service-overdue', state: 'complained', days: 3, becomes: 'refunded' },
] as const;

type State = (typeof deadlines)[number]['state' | 'becomes'];

export const openOrders = (host: Pick<KibbleOptions, 'pool' | 'clock'>) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: deadlines.map(({ kind, becomes }) => ({
      kind,
      fire: async (timers, tx) => {
        const orders = timers.map(({ subject }) => subject);
        await tx.query('update trade set state = $2 where id = any($1)', [orders, becomes]);
      },
    })),
  });

  /** The order has a new state: its old deadline ends, and the new one begins. */
  const enter = async (orderId: string, buyerId: string, state: State): Promise<void> => {
    await kibble.timers.transaction(async (timers) => {
      await timers.cancel(deadlines.map(({ kind }) => ({ kind, subject: orderId })));
      await timers.tx.query(
        'insert into trade (id, state) values ($1, $2) on conflict (id) do update set state = excluded.state',
        [orderId, state],
      );
      const own = deadlines.filter((deadline) => deadline.state === state);
      await timers.schedule(
        own.map(({ kind, days }) => ({
          kind,
          subject: orderId,
          owner: buyerId,
          dueAtMs: timers.nowMs + days * DAY_MS,
        })),
      );
    });
  };

  return { kibble, enter };
};
