import type { Pool } from 'pg';
import { type Home, newHome } from '../../../../shared/home.ts';
import { fold } from '../../../domain/evolve.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { RetainedStore } from '../../../home/log/retained-store.ts';
import { type TrustedTime, unguarded } from '../../../timer/clock/trusted-time.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { inTransaction } from '../in-transaction.ts';
import type { KeptHome } from '../schema/entities/home/checkpoint.ts';
import { query } from '../statement.ts';
import { homeFromKept, keptHome } from './checkpoint.ts';
import { type EventRow, eventOf } from './home-rows.ts';
import { type RetainedSql, retainedSql } from './retained-sql.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  readonly modules: Modules;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

interface OwnedEventRow extends EventRow {
  readonly player_id: string;
}

/** Old rows in Postgres (`RetainedStore`). Takes no lock that a command waits for. */
export class PostgresRetainedStore implements RetainedStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #modules: Modules;
  readonly #sql: RetainedSql;
  readonly #time: TrustedTime;

  constructor({ pool, schema, modules, time = unguarded }: Dependencies) {
    this.#modules = modules;
    this.#pool = pool;
    this.#schema = schema;
    this.#time = time;
    this.#sql = retainedSql(schema);
  }

  async nowMs(): Promise<number> {
    const trusted = this.#time.reading();
    const [row] = await this.#rows<{ now_ms: string }>(this.#pool, 'now', []);
    return trusted(Number(row?.now_ms));
  }

  foldEvents(beforeMs: number, limit: number): Promise<number> {
    return inTransaction(this.#pool, async (tx) => {
      await this.#rows(tx, 'alone', []);
      const oldest = await this.#rows<OwnedEventRow>(tx, 'oldest', [limit]);
      // What a player finds on coming back was dated long ago and written just now: the first recent event ends it.
      const recent = oldest.findIndex(({ at }) => Number(at) >= beforeMs);
      const old = recent === -1 ? oldest : oldest.slice(0, recent);
      if (old.length > 0)
        await this.#fold(
          tx,
          Map.groupBy(old, (row) => row.player_id),
        );
      return old.length;
    });
  }

  async #fold(tx: Tx, rows: ReadonlyMap<string, readonly OwnedEventRow[]>): Promise<void> {
    const players = [...rows.keys()];
    const kept = await this.#rows<{ player_id: string; home: KeptHome }>(tx, 'checkpoints', [players]);
    const earlier = new Map(kept.map(({ player_id, home }) => [player_id, homeFromKept(this.#modules, home)]));
    const homes = [...rows].map(([playerId, own]) =>
      folded(this.#modules, earlier.get(playerId) ?? newHome(playerId), own),
    );
    const ends = homes.map(({ seq }) => seq);
    await this.#rows(tx, 'saveCheckpoints', [
      players,
      ends,
      homes.map((home) => JSON.stringify(keptHome(this.#modules, home))),
    ]);
    await this.#rows(tx, 'deleteEvents', [players, ends]);
  }

  #rows<Row>(tx: Tx, statement: keyof RetainedSql, values: readonly unknown[]): Promise<readonly Row[]> {
    return query(tx, { name: `${this.#schema}.retained.${statement}`, text: this.#sql[statement], values });
  }
}

/** Throws when the log has a gap: what is deleted then could never be known again. */
const folded = (modules: Modules, home: Home, rows: readonly EventRow[]): Home => {
  const events = rows.map(eventOf);
  for (const [at, { seq }] of events.entries()) {
    if (seq !== home.seq + at + 1) throw new Error(`the log of ${home.playerId} has a gap before ${seq}`);
  }
  return fold(modules, home, events);
};
