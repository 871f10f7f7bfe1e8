import type { Pool } from 'pg';
import type { OpsAudit } from '../../../shared/ops-answers.ts';
import type { AuditEntry, AuditStore, EarlierCommand } from '../../ops/audit.ts';
import type { Tx } from '../../timer/timer-store.ts';
import { type TrustedTime, unguarded } from '../../timer/trusted-time.ts';
import { inTransaction } from './in-transaction.ts';
import { query } from './statement.ts';
import { jsonOf } from './timer-row.ts';
import { isWorldFault } from './world-fault.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

interface AuditRow extends Omit<OpsAudit, 'id' | 'commandId' | 'atMs'> {
  readonly id: string | number;
  readonly command_id: string;
  readonly at: string | number;
}

/** The audit in Postgres (`AuditStore`). */
export class PostgresAuditStore implements AuditStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #table: string;
  readonly #time: TrustedTime;

  constructor({ pool, schema, time = unguarded }: Dependencies) {
    this.#pool = pool;
    this.#time = time;
    this.#schema = schema;
    this.#table = `"${schema}".audit`;
  }

  transaction<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer> {
    return inTransaction(this.#pool, work);
  }

  isWorldFault(error: unknown): boolean {
    return isWorldFault(error);
  }

  async earlier(tx: Tx, commandId: string, target: string): Promise<EarlierCommand | undefined> {
    // Two that send the same command at once: the second waits and finds the first one's entry.
    const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
    await query(tx, { name: `${this.#schema}.audit.lock`, text, values: [`${this.#schema} ${commandId} ${target}`] });
    const [row] = await query<EarlierCommand>(tx, {
      name: `${this.#schema}.audit.earlier`,
      text: `select hash, answer from ${this.#table} where command_id = $1 and target = $2`,
      values: [commandId, target],
    });
    return row;
  }

  async add(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await query(tx, {
      name: `${this.#schema}.audit.add`,
      text: `insert into ${this.#table} (command_id, target, actor, action, reason, before, after, at, hash, answer)
        select e.command_id, e.target, e.actor, e.action, e.reason, e.before, e.after,
          coalesce($10::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint), e.hash, e.answer
        from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::text[],
          $9::jsonb[]) as e(command_id, target, actor, action, reason, before, after, hash, answer)
        on conflict (command_id, target) do nothing`,
      values: [
        entries.map((entry) => entry.commandId),
        entries.map((entry) => entry.target),
        entries.map((entry) => entry.actor),
        entries.map((entry) => entry.action),
        entries.map((entry) => entry.reason),
        entries.map((entry) => jsonOf(entry.before)),
        entries.map((entry) => jsonOf(entry.after)),
        entries.map((entry) => entry.hash),
        entries.map((entry) => jsonOf(entry.answer)),
        this.#time.heldMs ?? null,
      ],
    });
  }

  async page(target: string | undefined, before: string | undefined, limit: number): Promise<readonly OpsAudit[]> {
    const text = `select id, command_id, target, actor, action, reason, before, after, at from ${this.#table}
      where id < $1 ${target === undefined ? '' : 'and target = $3'} order by id desc limit $2`;
    const values = [before ?? String(Number.MAX_SAFE_INTEGER), limit, ...(target === undefined ? [] : [target])];
    const { rows } = await this.#pool.query<AuditRow>(text, values);
    return rows.map(({ id, command_id, at, ...entry }) => ({
      ...entry,
      id: String(id),
      commandId: command_id,
      atMs: Number(at),
    }));
  }
}
