import type { OpenStrategy } from './strategy.ts';
import { DONE, openTable, untilNext, WAITING } from './table.ts';

/** A command of cron that asks the whole table for what is due; without an index every row is looked at. */
export const tableScan =
  (periodMs: number, isIndexed: boolean): OpenStrategy =>
  async ({ clock, postgresUrl, hand }) => {
    const { pool, schedule, move } = await openTable(postgresUrl, isIndexed);
    const turn = async (): Promise<number> => {
      const { rows } = await pool.query<{ id: string }>({
        name: 'take-due',
        text: `update task set status = ${DONE} where status = ${WAITING} and due_at <= $1 returning id`,
        values: [clock.nowMs()],
      });
      hand(rows.map(({ id }) => Number(id)));
      return untilNext(clock.nowMs(), periodMs);
    };
    return { schedule, move, loops: [turn], close: () => pool.end() };
  };
