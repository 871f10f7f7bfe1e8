import type { Pool } from 'pg';
import { LessThan } from 'typeorm';
import type { OpsAudit } from '../../../../shared/ops/ops-timer.ts';
import { type AuditEntry, type AuditStore, type EarlierCommand, playerTarget } from '../../../ops/perform/audit.ts';
import { type TrustedTime, unguarded } from '../../../timer/clock/trusted-time.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { inTransaction } from '../in-transaction.ts';
import { auditEntity } from '../schema/entities/ops/audit.ts';
import { Records } from '../schema/records.ts';
import { query } from '../statement.ts';
import { jsonOf } from '../timer/timer-row.ts';
import { isWorldFault } from '../world-fault.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

/** The audit in Postgres (`AuditStore`). */
export class PostgresAuditStore implements AuditStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #table: string;
  readonly #time: TrustedTime;
  readonly #records: Records;

  constructor({ pool, schema, time = unguarded }: Dependencies) {
    this.#pool = pool;
    this.#time = time;
    this.#schema = schema;
    this.#table = `"${schema}".audit`;
    this.#records = new Records({ pool, schema });
  }

  transaction<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value> {
    return inTransaction(this.#pool, work);
  }

  isWorldFault(error: unknown): boolean {
    return isWorldFault(error);
  }

  async isMergedAway(tx: Tx, playerId: string): Promise<boolean> {
    // Of the two entries of a merge, the one with a result is of the home that was closed.
    const text = `select action from ${this.#table} where target = $1
      and (action = 'unfreeze' or (action = 'merge' and answer is not null)) order by id desc limit 1`;
    const values = [playerTarget(playerId)];
    const [last] = await query<{ action: string }>(tx, { name: `${this.#schema}.audit.merged`, text, values });
    return last?.action === 'merge';
  }

  async earlier(tx: Tx, commandId: string, target: string): Promise<EarlierCommand | undefined> {
    // Two that send the same command at once: the second waits and finds the first one's entry.
    const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
    await query(tx, { name: `${this.#schema}.audit.lock`, text, values: [`${this.#schema} ${commandId} ${target}`] });
    const found = { where: { commandId, target }, select: { hash: true, answer: true } };
    return (await this.#records.read((manager) => manager.findOne(auditEntity, found), tx)) ?? undefined;
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

  page(target: string | undefined, before: string | undefined, limit: number): Promise<readonly OpsAudit[]> {
    const where = {
      ...(target !== undefined && { target }),
      ...(before !== undefined && { id: LessThan(before) }),
    };
    return this.#records.read((manager) =>
      manager.find(auditEntity, { where, select: SHOWN, order: { id: 'desc' }, take: limit }),
    );
  }
}

/** Neither the hash of a command nor its result. */
const SHOWN = {
  id: true,
  commandId: true,
  target: true,
  actor: true,
  action: true,
  reason: true,
  before: true,
  after: true,
  atMs: true,
} as const;
