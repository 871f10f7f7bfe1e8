import type { Pool } from 'pg';
import { FEEDING } from '../../../domain/timers-of.ts';
import type { RowCheckStore } from '../../../home/log/row-check.ts';
import { type TrustedTime, unguarded } from '../../../timer/clock/trusted-time.ts';
import type { PageCursor } from '../../../timer/model/timer-store.ts';
import { query } from '../statement.ts';
import { type PetRow, petOf } from './home-rows.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  /** For tests: a clock instead of Postgres'. */
  readonly nowMs?: () => number;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

interface FeedingRowOfPet extends PetRow {
  readonly due_at: string | number | null;
  readonly fire_at: string | number | null;
}

interface GhostRow {
  readonly owner: string;
  readonly id: string | number;
  readonly fire_at: string | number;
  readonly is_ghost: boolean;
  readonly place: number;
}

/** Before all rows. */
const FIRST: PageCursor = { fireAtMs: -(2 ** 42), timerId: '0' };

/** Feedings beside their timer rows, page by page, in Postgres (`RowCheckStore`). */
export class PostgresRowCheckStore implements RowCheckStore {
  readonly #dependencies: Dependencies;
  readonly #sql: ReturnType<typeof rowCheckSql>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#sql = rowCheckSql(dependencies.schema);
  }

  async nowMs(): Promise<number> {
    const { nowMs, time = unguarded } = this.#dependencies;
    const trusted = time.reading();
    const [row] = nowMs ? [{ now_ms: nowMs() }] : await this.#rows<{ now_ms: string }>('now', []);
    return trusted(Number(row?.now_ms));
  }

  async runningFeedings(after: string, limit: number): ReturnType<RowCheckStore['runningFeedings']> {
    const rows = await this.#rows<FeedingRowOfPet>('running', [after, limit, FEEDING]);
    const feedings = rows.map((row) => ({
      playerId: row.player_id,
      pet: petOf(row),
      row: row.due_at === null ? undefined : { dueAtMs: Number(row.due_at), fireAtMs: Number(row.fire_at) },
    }));
    return { feedings, next: rows.length < limit ? undefined : rows.at(-1)?.pet_id };
  }

  async ghosts(after: PageCursor | undefined, limit: number): ReturnType<RowCheckStore['ghosts']> {
    const from = after ?? FIRST;
    const rows = await this.#rows<GhostRow>('ghosts', [FEEDING, from.fireAtMs, from.timerId, limit]);
    const last = rows.at(-1);
    return {
      owners: rows.filter((row) => row.is_ghost).map(({ owner }) => owner),
      next: last?.place === limit ? { fireAtMs: Number(last.fire_at), timerId: String(last.id) } : undefined,
    };
  }

  #rows<Row>(statement: keyof ReturnType<typeof rowCheckSql>, values: readonly unknown[]): Promise<readonly Row[]> {
    const { pool, schema } = this.#dependencies;
    return query(pool, { name: `${schema}.row-check.${statement}`, text: this.#sql[statement], values });
  }
}

/** Lateral look-ups with a `limit` keep the planner to the indexes, as in `homeSql`. A pet is there for each feeding that runs. */
const rowCheckSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  return {
    now: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms',

    running: `select p.*, f.feeding_id, f.food, f.fed_by, f.work_ms, f.xp as feeding_xp, f.has_cards, f.started_at,
        f.left_ms, f.since_at, t.due_at, t.fire_at
      from (select * from ${at('feeding')} where state = 'running' and pet_id > $1 order by pet_id limit $2) f
      cross join lateral (select * from ${at('pet')} x where x.pet_id = f.pet_id limit 1) p
      left join lateral (
        select due_at, fire_at from ${at('timer')} x
        where x.kind = $3 and x.subject = f.feeding_id and x.owner = f.player_id and x.state = 'scheduled'
        limit 1) t on true
      order by f.pet_id`,

    ghosts: `select * from (
        select t.owner, t.id, t.fire_at, row_number() over (order by t.fire_at, t.id)::int as place,
          t.kind = $1 and f.is_running is null as is_ghost
        from (select * from ${at('timer')} where state = 'scheduled' and (fire_at, id) > ($2::bigint, $3::bigint)
          order by fire_at, id limit $4) t
        left join lateral (
          select true as is_running from ${at('feeding')} x
          where t.kind = $1 and x.feeding_id = t.subject and x.state = 'running' and x.player_id = t.owner
          limit 1) f on true) looked
      where is_ghost or place = $4 order by place`,
  } as const;
};
