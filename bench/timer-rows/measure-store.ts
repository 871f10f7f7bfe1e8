import type { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import type { Timer } from '../../server/timer/model/timer.ts';
import type { TimerUpdate } from '../../server/timer/model/timer-store.ts';
import { BATCH, type Costs, type Measured, metered } from './metered.ts';

const DAY_MS = 86_400_000;
const payload = { order: 'a5b2c7', items: [{ name: 'dog-food', count: 3 }], shop: 'north' };
const KIND = 'bench';

/** The life of timers of an own kind, statement by statement. */
export const measureStore = (measured: Measured): Promise<Costs> =>
  metered(measured, async ({ store, phase, analyze }) => {
    const { count } = measured;
    const batch = <Value>(from: number, value: (at: number) => Value): Value[] =>
      Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => value(from + at));
    const startMs = Date.now() + DAY_MS;
    // Far from its neighbours in every index, as players' timers are.
    const dueAtMs = (at: number): number => startMs + ((at * 7_919) % count) * 1000;
    const key = (at: number) => ({ kind: KIND, subject: `subject-${(at * 104_729) % count}` });
    const timers: Timer[] = [];
    await phase('schedule', async (from) => {
      const wanted = batch(from, (at) => ({ ...key(at), owner: `player-${at % 5000}`, dueAtMs: dueAtMs(at), payload }));
      timers.push(...(await store.schedule(wanted)).map(({ timer }) => timer));
    });
    const ids = timers.map(({ id }) => id);
    const byId = new Map(timers.map((timer) => [timer.id, timer]));
    await analyze();
    const id = (at: number): string => ids[(at * 15_485_863) % count] ?? '';
    const changes = (from: number, change: (at: number) => Parameters<PostgresTimerStore['change']>[0][number]) =>
      store.change(batch(from, change));
    await phase('earlier, by id', (from) =>
      changes(from, (at) => ({ target: { timerId: id(at) }, change: 'shift', byMs: -7_200_000 })),
    );
    await phase('later, by key', (from) =>
      changes(from, (at) => ({ target: key(at), change: 'shift', byMs: 3_600_000 })),
    );
    await phase('read', (from) =>
      store.read(batch(from, (at) => ({ timerId: id(at), owner: byId.get(id(at))?.owner ?? '' }))),
    );
    const seen = (at: number): Timer => {
      const timer = byId.get(id(at));
      if (timer === undefined) throw new Error(`no timer ${id(at)}`);
      return { ...timer, revision: 3 };
    };
    const fire = (from: number, updates: (timers: readonly Timer[]) => readonly TimerUpdate[]) =>
      store.fire(batch(from, seen), async (_tx, { timers: locked }) => updates(locked));
    await phase('lock', (from) => fire(from, () => []));
    await phase('lock and finish', (from) => fire(from, (locked) => locked.map(completed)));
    await phase('prune', () =>
      store.prune({ fromMs: 0, kinds: [], isOfOthers: true, beforeMs: Date.now() + DAY_MS, limit: BATCH }),
    );
  });

const completed = ({ id, revision, fireAtMs }: Timer): TimerUpdate => ({
  timerId: id,
  revision,
  state: 'completed',
  fireAtMs,
  attempt: 0,
});
