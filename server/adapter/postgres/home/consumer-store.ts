import type { Pool } from 'pg';
import type { ConsumerPage, ConsumerStore, LogPlace } from '../../../home/log/consumer-store.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { inTransaction } from '../in-transaction.ts';
import { ask, query } from '../statement.ts';
import { type ConsumerSql, consumerSql } from './consumer-sql.ts';
import { type EventRow, eventOf } from './home-rows.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
}

interface PageRow extends EventRow {
  readonly player_id: string;
  readonly tx: string;
  readonly from_tx: string;
  readonly from_player_id: string;
  readonly from_seq: string;
}

/**
 * The consumers' places in Postgres (`ConsumerStore`). No sequence orders the log of all players: a number taken
 * earlier may be committed later. What orders it are the transactions, once all before them have ended (ADR 30).
 */
export class PostgresConsumerStore implements ConsumerStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #sql: ConsumerSql;

  constructor({ pool, schema }: Dependencies) {
    this.#pool = pool;
    this.#schema = schema;
    this.#sql = consumerSql(schema);
  }

  async register(consumers: readonly { readonly name: string; readonly from: 'now' | 'oldest' }[]): Promise<void> {
    await this.#mend();
    await this.#rows(this.#pool, 'register', [consumers.map(({ name }) => name), consumers.map(({ from }) => from)]);
  }

  async read(name: string, limit: number): Promise<ConsumerPage | undefined> {
    const rows = await this.#rows<PageRow>(this.#pool, 'read', [name, limit]);
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return undefined;
    return {
      events: rows.map((row) => ({ ...eventOf(row), playerId: row.player_id })),
      from: { tx: Number(first.from_tx), playerId: first.from_player_id, seq: Number(first.from_seq) },
      to: { tx: Number(last.tx), playerId: last.player_id, seq: Number(last.seq) },
    };
  }

  async move(name: string, from: LogPlace, to: LogPlace): Promise<boolean> {
    const values = [name, from.tx, from.playerId, from.seq, to.tx, to.playerId, to.seq];
    return (await ask(this.#pool, { text: this.#sql.move, values })).rowCount === 1;
  }

  async isBehind(name: string): Promise<boolean> {
    const [row] = await this.#rows<{ is_behind: boolean }>(this.#pool, 'isBehind', [name]);
    return row?.is_behind === true;
  }

  async lag(names: readonly string[], atMost: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#rows<{ name: string; behind: string }>(this.#pool, 'lag', [names, atMost]);
    return new Map(rows.map(({ name, behind }) => [name, Number(behind)]));
  }

  async forget(name: string): Promise<void> {
    await this.#rows(this.#pool, 'forget', [name]);
  }

  /** A cluster that was restored from a dump counts transactions anew: without this, nothing would be read for years. */
  async #mend(): Promise<void> {
    const [found] = await this.#rows<{ is_foreign: boolean }>(this.#pool, 'isForeign', []);
    if (found?.is_foreign !== true) return;
    await inTransaction(this.#pool, async (tx) => {
      const [own] = await this.#rows<{ tx: string }>(tx, 'ownTx', []);
      await this.#rows(tx, 'mendEvents', [own?.tx]);
      await this.#rows(tx, 'mendConsumers', [own?.tx]);
      await this.#rows(tx, 'mendHomes', [own?.tx]);
    });
  }

  #rows<Row>(tx: Tx, statement: keyof ConsumerSql, values: readonly unknown[]): Promise<readonly Row[]> {
    return query(tx, { name: `${this.#schema}.consumer.${statement}`, text: this.#sql[statement], values });
  }
}
