import { query } from '../../server/adapter/postgres/statement.ts';
import type { IndexChanges } from '../../server/timer/model/index-entry.ts';
import type { Tx } from '../../server/timer/model/timer-store.ts';
import { BATCH, type Costs, type Measured, metered } from './metered.ts';

const HOUR_MS = 3_600_000;
const STATE = JSON.stringify({ xp: 40, species: 'dog', feeding: { food: 'dog-food', workMs: 3_600_000, sinceMs: 1 } });

/** Of a thing: its row, and, in checkouts of before, its timer's. */
interface Due {
  readonly kind: string;
  readonly subject: string;
  readonly owner: string;
  readonly dueAtMs: number;
}

/** Stores of before have timers of things in rows of their own. */
interface OlderStore {
  changeDerived?(tx: Tx, changes: object, nowMs: number): Promise<IndexChanges>;
}

/**
 * What things cost when each completes and is due again: its row, which is its timer's as well, or, in checkouts of before,
 * its row and that of its timer.
 */
export const measureChain = (measured: Measured): Promise<Costs> =>
  metered(measured, async ({ store, homeSql, phase, analyze }) => {
    const { count } = measured;
    const nowMs = Date.now();
    const older: OlderStore = store as object;
    const things = (from: number, turn: number): readonly Due[] =>
      Array.from({ length: Math.min(BATCH, count - from) }, (_, place) => {
        // Another order than that in which they began, as players' timers come due.
        const at = ((from + place) * 15_485_863) % count;
        const owner = `player-${at}`;
        const dueAtMs = nowMs + turn * HOUR_MS + ((at * 7919) % count) * 100;
        return { kind: 'bench', subject: `${owner}~pet`, owner, dueAtMs };
      });
    const save = (name: 'addThings' | 'saveThings', next: readonly Due[]) =>
      store.transaction(async (tx) => {
        const text = homeSql[name] ?? homeSql.saveThings ?? '';
        await query(tx, { name: `bench.${name}`, text, values: columnsOf(next, text, nowMs) });
        await older.changeDerived?.(tx, { put: next }, nowMs);
      });
    // Of an empty table the planner takes the wrong index.
    await save('addThings', things(0, 1));
    await analyze();
    await phase('begin', (from) =>
      from === 0 ? save('saveThings', things(0, 2)) : save('addThings', things(from, 1)),
    );
    await analyze();
    await phase('the next one', (from) => save('saveThings', things(from, 3)));
    await phase('and the next', (from) => save('saveThings', things(from, 4)));
  });

/** One array a column; the last is the time of all, where a checkout has that. */
const columnsOf = (things: readonly Due[], text: string, nowMs: number): readonly unknown[] => [
  things.map(({ owner }) => owner),
  things.map(() => 'bench'),
  things.map(() => 'pet'),
  things.map(() => 1),
  things.map(() => STATE),
  things.map(() => 'Rex'),
  things.map(({ dueAtMs }) => dueAtMs),
  ...(text.includes('$8') ? [nowMs] : []),
];
