import { LessThan } from 'typeorm';
import type { OpsAudit } from '../../../../shared/ops/ops-timer.ts';
import { StoreFault } from '../../../home/model/faults.ts';
import { type AuditEntry, type AuditStore, type EarlierCommand, playerTarget } from '../../../ops/perform/perform.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { type Database, nowMs, type Statements } from '../database.ts';
import { auditEntity } from '../schema/ops-entities.ts';
import { Records } from '../schema/records.ts';
import { jsonOf } from '../timer/timer-row.ts';
import { beginIdling, withTransaction } from '../transaction.ts';
import { isContention, isWorldFault } from '../world-fault.ts';

export class PostgresAuditStore implements AuditStore {
  readonly #database: Database;
  readonly #sql: Statements<keyof ReturnType<typeof auditSql>>;
  readonly #records: Records;
  readonly #mayRun: () => boolean;

  /** `mayRun`: false while another process has the right to run on this database; then no act is done. */
  constructor(database: Database, mayRun: () => boolean = () => true) {
    this.#database = database;
    this.#mayRun = mayRun;
    this.#sql = database.statements('audit', auditSql(`"${database.schema}".audit`));
    this.#records = new Records(database);
  }

  transaction<Value>(work: (tx: Tx) => Promise<Value>, idleMs?: number): Promise<Value> {
    if (!this.#mayRun()) return Promise.reject(new StoreFault('down', 'another process works on this database'));
    return withTransaction(this.#database.pool, work, beginIdling(idleMs));
  }

  isWorldFault(error: unknown): boolean {
    return isWorldFault(error) || isContention(error);
  }

  async mergedAway(tx: Tx, playerIds: readonly string[]): Promise<ReadonlySet<string>> {
    const targets = playerIds.map(playerTarget);
    const merged = new Set(
      (await this.#sql.rows<{ target: string }>('merged', [targets], tx)).map((row) => row.target),
    );
    return new Set(playerIds.filter((playerId) => merged.has(playerTarget(playerId))));
  }

  async earlier(tx: Tx, commandId: string, target: string): Promise<EarlierCommand | undefined> {
    await this.#sql.run('lock', [`${this.#database.schema} ${commandId} ${target}`], tx);
    const found = { where: { commandId, target }, select: { hash: true, answer: true } };
    return (await this.#records.read((manager) => manager.findOne(auditEntity, found), tx)) ?? undefined;
  }

  async add(tx: Tx, entries: readonly AuditEntry[]): Promise<number> {
    if (entries.length === 0) return 0;
    const columns = [
      entries.map((entry) => entry.commandId),
      entries.map((entry) => entry.target),
      entries.map((entry) => entry.actor),
      entries.map((entry) => entry.action),
      entries.map((entry) => entry.reason),
      entries.map((entry) => jsonOf(entry.before)),
      entries.map((entry) => jsonOf(entry.after)),
      entries.map((entry) => entry.hash),
      entries.map((entry) => jsonOf(entry.answer)),
    ];
    return (await this.#sql.rows('add', [...columns, this.#database.datedMs()], tx)).length;
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

const auditSql = (table: string) => ({
  /** A merge makes two entries; the one with a result belongs to the closed home. */
  merged: `select t.target from unnest($1::text[]) t(target) cross join lateral (
        select action from ${table} a where a.target = t.target
          and (action = 'unfreeze' or (action = 'merge' and answer is not null)) order by id desc limit 1) last
      where last.action = 'merge'`,

  /** If the same command is sent twice at once, the second one waits and finds the first one's entry. */
  lock: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',

  add: `insert into ${table} (command_id, target, actor, action, reason, before, after, at, hash, answer)
        select e.command_id, e.target, e.actor, e.action, e.reason, e.before, e.after,
          ${nowMs(10)}, e.hash, e.answer
        from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::text[],
          $9::jsonb[]) as e(command_id, target, actor, action, reason, before, after, hash, answer)
        on conflict (command_id, target) do nothing returning id`,
});

/** Leaves out the hash and the result of a command. */
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
