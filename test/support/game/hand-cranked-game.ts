import { onTestFinished } from 'vitest';
import { type Kibble, type KibbleOptions, ManualClock, silent } from '../../../server/kibble.ts';
import { migratedDatabase } from '../postgres/home-database.ts';
import { hostDatabase } from '../postgres/host-database.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The options of every example. */
type Host = Pick<KibbleOptions, 'pool' | 'clock' | 'log'>;

/** A game for one test: on a database of its own with its own `tables`, and with a clock that stands still. */
export const handCrankedGame = async <Game extends { readonly kibble: Kibble }>(
  tables: string,
  open: (host: Host) => Game,
) => {
  const { pool } = await hostDatabase(8, migratedDatabase);
  if (tables !== '') await pool.query(tables);
  const clock = new ManualClock(1_790_000_000_000);
  const game = open({ pool, clock, log: silent });
  await game.kibble.lifecycle.boot();
  onTestFinished(() => game.kibble.lifecycle.shutdown());
  return {
    ...game,
    nowMs: clock.nowMs,
    pool,
    /** The first column of all rows that a query answers. */
    column: async (query: string): Promise<readonly unknown[]> =>
      (await pool.query({ text: query, rowMode: 'array' })).rows.map(([first]) => first),
    /** Time passes, and what came due fires. */
    pass: async (byMs: number): Promise<void> => {
      clock.advance(byMs);
      await game.kibble.runDue();
    },
  };
};
