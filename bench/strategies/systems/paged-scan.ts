import type { OpenStrategy } from './strategy.ts';
import { DONE, openTable, WAITING } from './table.ts';

const PAGE = 1_000;
const PAUSE_MS = 1_000;

/** A daemon that reads all that waits, a page at a time, picks what is due, and begins again a second after the end. */
export const pagedScan: OpenStrategy = async ({ clock, postgresUrl, hand }) => {
  const { pool, schedule, move } = await openTable(postgresUrl, false);
  let lastId = -1;
  const turn = async (): Promise<number> => {
    const { rows } = await pool.query<{ id: string; due_at: string }>({
      name: 'page',
      text: `select id, due_at from task where status = ${WAITING} and id > $1 order by id limit ${PAGE}`,
      values: [lastId],
    });
    const nowMs = clock.nowMs();
    const due = rows.filter((row) => Number(row.due_at) <= nowMs).map(({ id }) => Number(id));
    if (due.length > 0) {
      // Whoever was moved since the page was read is not due any more.
      const taken = await pool.query<{ id: string }>({
        name: 'take',
        text: `update task set status = ${DONE}
               where id = any($1::bigint[]) and status = ${WAITING} and due_at <= $2 returning id`,
        values: [due, nowMs],
      });
      hand(taken.rows.map(({ id }) => Number(id)));
    }
    lastId = rows.length === PAGE ? Number(rows.at(-1)?.id) : -1;
    return lastId === -1 ? PAUSE_MS : 0;
  };
  return { schedule, move, loops: [turn], close: () => pool.end() };
};
