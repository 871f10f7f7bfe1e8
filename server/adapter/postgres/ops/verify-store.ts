import type { Pool } from 'pg';
import type { Modules } from '../../../domain/modules.ts';
import type { PlayerRange, StoredPlayer, VerifyStore } from '../../../ops/offline/verify.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { homeFromKept } from '../home/checkpoint.ts';
import { type EventRow, eventOf, type HomeRow, homeOf, type ThingRow } from '../home/home-rows.ts';
import { inTransaction } from '../in-transaction.ts';
import type { KeptHome } from '../schema/entities/home/checkpoint.ts';
import { allow, inOrder, query } from '../statement.ts';
import { type VerifySql, verifySql } from './verify-sql.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  readonly modules: Modules;
}

const SNAPSHOT = 'set transaction isolation level repeatable read read only; ';

type Owned<Row> = Row & { readonly player_id: string };

/** Players, page by page, for the checker (`VerifyStore`). Takes no lock. */
export class PostgresVerifyStore implements VerifyStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #modules: Modules;
  readonly #sql: VerifySql;

  constructor({ pool, schema, modules }: Dependencies) {
    this.#modules = modules;
    this.#pool = pool;
    this.#schema = schema;
    this.#sql = verifySql(schema);
  }

  async countPlayers(): Promise<number> {
    const [row] = await this.#rows<{ count: number }>(this.#pool, 'count', []);
    return row?.count ?? 0;
  }

  async nextRange(after: string, limit: number): Promise<PlayerRange | undefined> {
    const [row] = await this.#rows<{ up_to: string | null; players: number }>(this.#pool, 'range', [after, limit]);
    return row?.up_to ? { after, upTo: row.up_to, players: row.players } : undefined;
  }

  read({ after, upTo }: PlayerRange): Promise<readonly StoredPlayer[]> {
    return inTransaction(this.#pool, async (tx) => {
      await allow(tx, 60_000, SNAPSHOT);
      const rows =
        <Row>(statement: keyof VerifySql) =>
        () =>
          this.#rows<Row>(tx, statement, [after, upTo]);
      const [homes, things, checkpoints, events] = await inOrder(tx, [
        rows<HomeRow>('homes'),
        rows<ThingRow>('things'),
        rows<{ player_id: string; home: KeptHome }>('checkpoints'),
        rows<Owned<EventRow>>('events'),
      ]);
      const thingsOf = Map.groupBy(things, (thing) => thing.player_id);
      const eventsOf = Map.groupBy(events, (event) => event.player_id);
      const checkpointOf = new Map(
        checkpoints.map(({ player_id, home }) => [player_id, homeFromKept(this.#modules, home)]),
      );
      return homes.map((row) => {
        const id = row.player_id;
        return {
          home: homeOf(this.#modules, row, { things: thingsOf.get(id) ?? [] }),
          checkpoint: checkpointOf.get(id),
          events: (eventsOf.get(id) ?? []).map(eventOf),
          dueTimes: (thingsOf.get(id) ?? []).map(({ module, thing_id, due_at }) => ({
            module,
            thing: thing_id,
            dueAtMs: due_at === null ? undefined : Number(due_at),
          })),
        };
      });
    });
  }

  async orphans(limit: number): Promise<readonly { readonly table: string; readonly playerId: string }[]> {
    return inTransaction(this.#pool, async (tx) => {
      await allow(tx, 0, SNAPSHOT);
      const rows = await this.#rows<{ table: string; player_id: string }>(tx, 'orphans', [limit]);
      return rows.map(({ table, player_id }) => ({ table, playerId: player_id }));
    });
  }

  #rows<Row>(tx: Tx, statement: keyof VerifySql, values: readonly unknown[]): Promise<readonly Row[]> {
    return query(tx, { name: `${this.#schema}.verify.${statement}`, text: this.#sql[statement], values });
  }
}
