import type { Pool } from 'pg';
import type { Erased, EraseStore } from '../../../ops/acts/erase.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { allow, query } from '../statement.ts';
import { indexEntryOf, type TimerRow } from '../timer/timer-row.ts';
import { type EraseSql, eraseSql } from './erase-sql.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
}

/** Tables of the player's, in the order in which they are emptied; each statement returns what it removed. */
const tables = ['timer_command', 'home_hold', 'event', 'checkpoint', 'job_target', 'home'] as const;

/** Erases players in Postgres (`EraseStore`). A game's own inventory is the game's to empty. */
export class PostgresEraseStore implements EraseStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #sql: EraseSql;

  constructor({ pool, schema }: Dependencies) {
    this.#pool = pool;
    this.#schema = schema;
    this.#sql = eraseSql(schema);
  }

  async hashOf(playerId: string): Promise<string> {
    const [row] = await this.#rows<{ hash: string }>(this.#pool, 'hash', [playerId]);
    return row?.hash ?? '';
  }

  async erase(tx: Tx, playerId: string): Promise<Erased | undefined> {
    // Finished timers are many; this is rare, and holds one home's lock.
    await allow(tx, 60_000);
    const locked = await this.#rows<object>(tx, 'lock', [playerId]);
    const related = await this.#rows<{ other: string }>(tx, 'related', [playerId]);
    await this.#rows<object>(tx, 'lockTimers', [playerId]);
    const own = await this.#rows<TimerRow>(tx, 'timers', [playerId]);
    const things = await this.#rows<TimerRow>(tx, 'thing', [playerId]);
    if (locked.length + own.length + things.length === 0) return undefined;
    const timers = [...own, ...things];
    const removed: Record<string, number> = { timer: own.length, thing: things.length };
    // Before the events go: a consumer's place may be one of them.
    await this.#rows(tx, 'consumers', [playerId]);
    for (const table of tables) removed[table] = (await this.#rows(tx, table, [playerId])).length;
    await this.#rows(tx, 'audit', [playerId, timers.map(({ id }) => `timer:${id}`)]);
    await this.#rows(tx, 'forget', [playerId]);
    await this.#rows(tx, 'remember', [playerId]);
    return {
      removed,
      related: related.map(({ other }) => other),
      index: { put: [], remove: timers.map(indexEntryOf) },
    };
  }

  #rows<Row>(tx: Tx, statement: keyof EraseSql, values: readonly unknown[]): Promise<readonly Row[]> {
    return query(tx, { name: `${this.#schema}.erase.${statement}`, text: this.#sql[statement], values });
  }
}
