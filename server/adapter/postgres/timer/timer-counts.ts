import {
  COUNTED_TO,
  type FailingTimers,
  type OverdueTimers,
  type TimerCounts,
} from '../../../timer/model/timer-counts.ts';
import { type Database, nowMs } from '../database.ts';
import { query, setStatementTimeout } from '../statement.ts';
import { withTransaction } from '../transaction.ts';
import { dueThings, thingTables, timerTables } from './timer-tables.ts';

/** Monitoring must not become load. */
const STATEMENT_MS = 1000;

/** Counts of timer rows (`TimerCounts`), read from the partial indexes that firing needs anyway. */
export class PostgresTimerCounts implements TimerCounts {
  readonly #database: Database;
  readonly #sql: CountsSql;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = countsSql(database.schema);
  }

  async pending(): Promise<number> {
    const [row] = await this.#rows('pending');
    return Number(row?.count);
  }

  async overdue(): Promise<OverdueTimers> {
    const [row] = await this.#rows('overdue', [this.#database.datedMs()]);
    const firstAtMs = Number(row?.first_at ?? Number.POSITIVE_INFINITY);
    return { count: Number(row?.count), oldestMs: Math.max(0, Number(row?.now_ms) - firstAtMs) };
  }

  async failing(): Promise<readonly FailingTimers[]> {
    const rows = await this.#rows('failing');
    return rows.map(({ kind, state, count }) => ({
      kind: String(kind),
      state: state === 'dead' ? 'dead' : 'scheduled',
      count: Number(count),
    }));
  }

  /** Not prepared: a plan made on a young database would read whole tables for long. */
  #rows(name: keyof CountsSql, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    return withTransaction(this.#database.pool, async (tx) => {
      await setStatementTimeout(tx, STATEMENT_MS);
      return query<Record<string, unknown>>(tx, { text: this.#sql[name], values });
    });
  }
}

type CountsSql = ReturnType<typeof countsSql>;

const countsSql = (schema: string) => {
  const { timer, due } = timerTables(schema);
  const { stuck } = thingTables(schema);
  return {
    pending: `select (select count(*) from ${due}) + ${dueThings(schema, '').pending} as count`,

    overdue: `
with n as materialized (select ${nowMs(1)} as now_ms)
select now_ms, least((select min(fire_at) from ${due}), l.first_at) as first_at,
  l.count + (select count(*) from (
    select from ${due} where fire_at <= now_ms limit ${COUNTED_TO}) o) as count
from n cross join lateral (${dueThings(schema, 'now_ms').late(`limit ${COUNTED_TO}`)}) l`,

    failing: `
select kind, 'scheduled' as state, count(*) from ${due} where attempt > 0 group by kind
union all select k.kind, 'scheduled', count(*) from ${stuck} group by k.kind
union all select kind, state, count(*) from ${timer} where state = 'dead' and attempt > 0 group by kind, state`,
  };
};
