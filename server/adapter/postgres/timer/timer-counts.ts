import type { Pool } from 'pg';
import { type TrustedTime, unguarded } from '../../../timer/clock/trusted-time.ts';
import {
  type FailingTimers,
  OVERDUE_COUNTED,
  type OverdueTimers,
  type TimerCounts,
} from '../../../timer/model/timer-counts.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { inTransaction } from '../in-transaction.ts';
import { allow, query } from '../statement.ts';
import { dueThings, thingTables, timerTables } from './timer-tables.ts';

/** Nobody who watches may become the load that he sees. */
const STATEMENT_MS = 1000;

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

/** How the timer rows stand (`TimerCounts`), read from the partial indexes that firing needs anyway. */
export class PostgresTimerCounts implements TimerCounts {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #tables: ReturnType<typeof timerTables>;
  readonly #time: TrustedTime;

  constructor({ pool, schema, time = unguarded }: Dependencies) {
    this.#pool = pool;
    this.#time = time;
    this.#schema = schema;
    this.#tables = timerTables(schema);
  }

  async pending(): Promise<number> {
    const { pending } = dueThings(this.#schema, '');
    const [row] = await this.#rows(`select (select count(*) from ${this.#tables.due}) + ${pending} as count`);
    return Number(row?.count);
  }

  async overdue(): Promise<OverdueTimers> {
    const [row] = await this.#rows(
      `
with n as materialized (
  select coalesce($1::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as now_ms)
select now_ms, least((select min(fire_at) from ${this.#tables.due}), l.first_at) as first_at,
  l.count + (select count(*) from (
    select from ${this.#tables.due} where fire_at <= now_ms limit ${OVERDUE_COUNTED}) o) as count
from n cross join lateral (${dueThings(this.#schema, 'now_ms').late(`limit ${OVERDUE_COUNTED}`)}) l`,
      [this.#time.heldMs ?? null],
    );
    const firstAtMs = Number(row?.first_at ?? Number.POSITIVE_INFINITY);
    return { count: Number(row?.count), oldestMs: Math.max(0, Number(row?.now_ms) - firstAtMs) };
  }

  async failing(): Promise<readonly FailingTimers[]> {
    const { stuck } = thingTables(this.#schema);
    const rows = await this.#rows(`
select kind, 'scheduled' as state, count(*) from ${this.#tables.due} where attempt > 0 group by kind
union all select k.kind, 'scheduled', count(*) from ${stuck} group by k.kind
union all select kind, state, count(*) from ${this.#tables.timer} where state = 'dead' and attempt > 0 group by kind, state`);
    return rows.map(({ kind, state, count }) => ({
      kind: String(kind),
      state: state === 'dead' ? 'dead' : 'scheduled',
      count: Number(count),
    }));
  }

  #rows(text: string, values: unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    return inTransaction(this.#pool, async (tx: Tx) => {
      await allow(tx, STATEMENT_MS);
      return query<Record<string, unknown>>(tx, { text, values });
    });
  }
}
