import type { Pool } from 'pg';
import type { Modules } from '../../../domain/modules.ts';
import type { RowCheckStore, ThingCursor } from '../../../home/log/row-check.ts';
import { type TrustedTime, unguarded } from '../../../timer/clock/trusted-time.ts';
import type { PageCursor } from '../../../timer/model/index-entry.ts';
import { query } from '../statement.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  readonly modules: Modules;
  /** For tests: a clock instead of Postgres'. */
  readonly nowMs?: () => number;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

interface DueRow {
  readonly player_id: string;
  readonly module: string;
  readonly thing_id: string;
  readonly thing_due_at: string | number | null;
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

/** Things beside their timer rows, page by page, in Postgres (`RowCheckStore`). */
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

  async dueThings(after: ThingCursor, limit: number): ReturnType<RowCheckStore['dueThings']> {
    const { modules } = this.#dependencies;
    const { playerId, module, thingId } = after;
    const rows = await this.#rows<DueRow>('due', [playerId, module, thingId, limit, ...kindsOf(modules)]);
    const last = rows.at(-1);
    return {
      things: rows.filter(isDue).map((row) => ({
        playerId: row.player_id,
        dueAtMs: Number(row.thing_due_at),
        row: row.due_at === null ? undefined : { dueAtMs: Number(row.due_at), fireAtMs: Number(row.fire_at) },
      })),
      next:
        last && rows.length === limit
          ? { playerId: last.player_id, module: last.module, thingId: last.thing_id }
          : undefined,
    };
  }

  async ghosts(after: PageCursor | undefined, limit: number): ReturnType<RowCheckStore['ghosts']> {
    const from = after ?? FIRST;
    const rows = await this.#rows<GhostRow>('ghosts', [
      ...kindsOf(this.#dependencies.modules),
      from.fireAtMs,
      from.timerId,
      limit,
    ]);
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

/** Modules beside the kinds of their timers; a retired one has no things that could be due. */
const kindsOf = ({ all, retired, timerKinds }: Modules): readonly (readonly string[])[] => [
  [...all.map(({ name }) => name), ...retired.map(() => '')],
  timerKinds,
];

const isDue = ({ thing_due_at }: DueRow): boolean => thing_due_at !== null;

/** Lateral look-ups with a `limit` keep the planner to the indexes, as in `homeSql`. `names` and `kinds` go together. */
const rowCheckSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  return {
    now: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms',

    due: `select p.player_id, p.module, p.thing_id, 
        case when k.kind is not null then p.due_at end as thing_due_at, t.due_at, t.fire_at
      from (select player_id, module, thing_id, due_at from ${at('thing')}
        where (player_id, module, thing_id) > ($1, $2, $3) order by player_id, module, thing_id limit $4) p
      left join unnest($5::text[], $6::text[]) as k(module, kind) on k.module = p.module
      left join lateral (
        select d.due_at, d.fire_at from ${at('timer')} x join ${at('timer_due')} d on d.id = x.id
        where x.kind = k.kind and x.subject = p.player_id || '~' || p.thing_id and x.owner = p.player_id and x.state = 'scheduled'
        limit 1) t on true
      order by p.player_id, p.module, p.thing_id`,

    ghosts: `select * from (
        select d.owner, d.id, d.fire_at, row_number() over (order by d.fire_at, d.id)::int as place,
          k.module is not null and h.is_there is null as is_ghost
        from (select * from ${at('timer_due')} where (fire_at, id) > ($3::bigint, $4::bigint)
          order by fire_at, id limit $5) d
        left join unnest($1::text[], $2::text[]) as k(module, kind) on k.kind = d.kind
        left join lateral (select subject from ${at('timer')} x where x.id = d.id limit 1) t on k.module is not null
        left join lateral (
          select true as is_there from ${at('thing')} x
          where x.player_id = d.owner and x.module = k.module and x.due_at is not null
            and x.thing_id = substr(t.subject, length(d.owner) + 2) and t.subject = d.owner || '~' || x.thing_id
          limit 1) h on true) looked
      where is_ghost or place = $5 order by place`,
  } as const;
};
