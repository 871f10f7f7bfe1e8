import type { ConsumerPage, ConsumerPlace, ConsumerStore } from '../../../home/log/consumer.ts';
import type { Database, Statements } from '../database.ts';
import { setStatementTimeout } from '../statement.ts';
import { withTransaction } from '../transaction.ts';
import { type EventRow, eventOf } from './home-rows.ts';

interface PageRow extends EventRow {
  readonly player_id: string;
  readonly tx: string;
  readonly from_tx: string;
  readonly from_player_id: string;
  readonly from_seq: string;
}

/**
 * The consumers' places in Postgres (`ConsumerStore`). A sequence cannot order the log of all players, because an
 * earlier number may be committed later. The transactions order it, after all earlier transactions have ended (ADR 30).
 */
export class PostgresConsumerStore implements ConsumerStore {
  readonly #database: Database;
  readonly #sql: Statements<keyof ReturnType<typeof consumerSql>>;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = database.statements('consumer', consumerSql(database.schema));
  }

  async register(consumers: readonly { readonly name: string; readonly from: 'now' | 'oldest' }[]): Promise<void> {
    await this.#mend();
    await this.#sql.run('register', [consumers.map(({ name }) => name), consumers.map(({ from }) => from)]);
  }

  async read(name: string, limit: number): Promise<ConsumerPage | undefined> {
    const rows = await this.#sql.rows<PageRow>('read', [name, limit]);
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return undefined;
    return {
      events: rows.map((row) => ({ ...eventOf(row), playerId: row.player_id })),
      from: { tx: Number(first.from_tx), playerId: first.from_player_id, seq: Number(first.from_seq) },
      to: { tx: Number(last.tx), playerId: last.player_id, seq: Number(last.seq) },
    };
  }

  async move(name: string, from: ConsumerPlace, to: ConsumerPlace): Promise<boolean> {
    const values = [name, from.tx, from.playerId, from.seq, to.tx, to.playerId, to.seq];
    return (await this.#sql.run('move', values)).rowCount === 1;
  }

  async isBehind(name: string): Promise<boolean> {
    const [row] = await this.#sql.rows<{ is_behind: boolean }>('isBehind', [name]);
    return row?.is_behind === true;
  }

  async lag(atMost: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#sql.rows<{ name: string; behind: string }>('lag', [atMost]);
    return new Map(rows.map(({ name, behind }) => [name, Number(behind)]));
  }

  async forget(name: string): Promise<void> {
    await this.#sql.run('forget', [name]);
  }

  /** A cluster restored from a dump counts transactions anew: without this, consumers would read nothing for years. */
  async #mend(): Promise<void> {
    const [found] = await this.#sql.rows<{ is_foreign: boolean }>('isForeign');
    if (found?.is_foreign !== true) return;
    await withTransaction(this.#database.pool, async (tx) => {
      // The whole log, once after a move. Of processes that start together one does it, and the others wait.
      await setStatementTimeout(tx, 0, 'set local lock_timeout = 0; ');
      await this.#sql.run('alone', [`${this.#database.schema} mend`], tx);
      const [still] = await this.#sql.rows<{ is_foreign: boolean }>('isForeign', [], tx);
      if (still?.is_foreign !== true) return;
      const [own] = await this.#sql.rows<{ tx: string }>('ownTx', [], tx);
      await this.#sql.run('mendEvents', [own?.tx], tx);
      await this.#sql.run('mendConsumers', [own?.tx], tx);
      await this.#sql.run('mendHomes', [own?.tx], tx);
    });
  }
}

/** The oldest open transaction: all earlier ones have ended, and their rows are visible. */
export const OLDEST_OPEN = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/** The next transaction number. */
const NEXT_TO_OPEN = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint';

/** The statements of the consumers. `schema` is a checked identifier. */
const consumerSql = (schema: string) => {
  const event = `"${schema}".event`;
  const consumer = `"${schema}".consumer`;
  return {
    register: `insert into ${consumer} (name, tx, player_id, seq)
      select name, case starts when 'now' then ${OLDEST_OPEN} else 0 end, '', 0
      from unnest($1::text[], $2::text[]) as c(name, starts) on conflict (name) do nothing`,

    read: `select c.tx as from_tx, c.player_id as from_player_id, c.seq as from_seq, e.*
      from ${consumer} c cross join lateral (
        select tx, player_id, seq, at, type, body, command_id from ${event} o
        where (o.tx, o.player_id, o.seq) > (c.tx, c.player_id, c.seq) and o.tx < ${OLDEST_OPEN}
        order by o.tx, o.player_id, o.seq limit $2) e
      where c.name = $1 order by e.tx, e.player_id, e.seq`,

    /** An erased id must not come back as a place. The lock waits for an erasure, which locks the home first. */
    move: `update ${consumer} set tx = $5, player_id = $6, seq = $7
      where name = $1 and tx = $2 and player_id = $3 and seq = $4
        and exists (select from "${schema}".home where player_id = $6 for key share)`,

    isBehind: `select exists (
      select from ${event} e, ${consumer} c
      where c.name = $1 and (e.tx, e.player_id, e.seq) > (c.tx, c.player_id, c.seq)) as is_behind`,

    lag: `select c.name, (select count(*) from (
        select from ${event} e where (e.tx, e.player_id, e.seq) > (c.tx, c.player_id, c.seq) limit $1) e) as behind
      from ${consumer} c`,

    forget: `delete from ${consumer} where name = $1`,

    /** Finds numbers that this cluster has not given yet: the tables were restored from a dump of another one. */
    isForeign: `select exists (select from ${event} where tx >= ${NEXT_TO_OPEN}) or exists (
      select from ${consumer} where tx > ${NEXT_TO_OPEN}) as is_foreign`,

    alone: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',

    /**
     * Events that not every consumer has read count as written now, the others as written just before, and so after
     * older events of their player, which keep their numbers.
     */
    mendEvents: `update ${event} e set tx = case when exists (
        select from ${consumer} c where (e.tx, e.player_id, e.seq) > (c.tx, c.player_id, c.seq)) then $1::bigint else $1::bigint - 1 end
      where e.tx >= $1::bigint`,

    mendConsumers: `update ${consumer} set tx = $1::bigint, player_id = '', seq = 0 where tx >= $1::bigint`,

    mendHomes: `update "${schema}".home set tx = $1::bigint where tx >= $1::bigint`,

    ownTx: 'select pg_current_xact_id()::text::bigint as tx',
  } as const;
};
