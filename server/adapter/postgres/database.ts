import type { Pool, QueryResult } from 'pg';
import { type TrustedTime, unguarded } from '../../timer/clock/trusted-time.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { execute, query } from './statement.ts';

interface Options {
  /** Ours or the host's. */
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  /** Default: trusts Postgres' clock. */
  readonly time?: TrustedTime;
  /** For tests: a clock instead of Postgres'. */
  readonly nowMs?: () => number;
}

/** Runs the statements of one store: in a transaction, or on any connection of the pool. */
export interface Statements<Name extends string> {
  run(name: Name, values?: readonly unknown[], on?: Tx): Promise<QueryResult>;
  /** The caller states with `Row` what it knows of the columns. */
  rows<Row>(name: Name, values?: readonly unknown[], on?: Tx): Promise<readonly Row[]>;
}

/** An expression: Postgres' time in epoch milliseconds. */
export const CLOCK_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Postgres' time as `now_ms`, in epoch milliseconds, rounded down. */
export const NOW = `select ${CLOCK_MS} as now_ms`;

/** In a statement: the parameter's time (`datedMs`, `ownMs`), else Postgres' time. */
export const nowMs = (parameter: number): string => `coalesce($${parameter}::bigint, ${CLOCK_MS})`;

/** The parts that all stores of a process share: the pool, the schema of our tables, and the time. */
export class Database {
  readonly pool: Pool;
  readonly schema: string;
  readonly time: TrustedTime;
  /** The time of a test's clock; null: Postgres' time counts. */
  readonly ownMs: () => number | null;

  constructor({ pool, schema, time = unguarded, nowMs }: Options) {
    this.pool = pool;
    this.schema = schema;
    this.time = time;
    this.ownMs = nowMs ?? (() => null);
  }

  /** The time for a column. Null: Postgres' own time, which is trusted now. */
  datedMs(): number | null {
    return this.time.heldMs ?? this.ownMs();
  }

  /** The statements of a store; each connection prepares them once as `schema.store.name`. */
  statements<Name extends string>(store: string, texts: Readonly<Record<Name, string>>): Statements<Name> {
    const { pool } = this;
    const prefix = store === '' ? this.schema : `${this.schema}.${store}`;
    const named = Object.fromEntries(
      Object.entries<string>(texts).map(([name, text]) => [name, { name: `${prefix}.${name}`, text }]),
    ) as Record<Name, { readonly name: string; readonly text: string }>;
    return {
      run: (name, values = [], on = pool) => execute(on, { ...named[name], values }),
      rows: (name, values = [], on = pool) => query(on, { ...named[name], values }),
    };
  }

  /** Epoch milliseconds, rounded down. If it is sent after a lock in a transaction, it is later than the lock. */
  async now(on: Tx = this.pool): Promise<number> {
    const read = () => query<{ now_ms: string }>(on, { name: `${this.schema}.now`, text: NOW });
    return (await this.nowIn(this.ownMs() === null ? read : async () => [])).nowMs;
  }

  /** The same with rows of the same instant: the first row has the time as `now_ms`. */
  async nowIn<Row extends { readonly now_ms: string }>(
    read: () => Promise<readonly Row[]>,
  ): Promise<{ readonly nowMs: number; readonly rows: readonly Row[] }> {
    const trusted = this.time.reading();
    const rows = await read();
    return { nowMs: trusted(this.ownMs() ?? Number(rows[0]?.now_ms)), rows };
  }
}
