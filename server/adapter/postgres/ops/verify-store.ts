import type { Modules } from '../../../domain/modules.ts';
import type { PlayerRange, StoredPlayer, VerifyStore } from '../../../ops/offline/verify.ts';
import type { Database, Statements } from '../database.ts';
import { type EventRow, eventOf, fromCheckpoint, type HomeRow, homeOf, type StoredThing } from '../home/home-rows.ts';
import type { CheckpointHome } from '../schema/home-entities.ts';
import { inOrder, setStatementTimeout } from '../statement.ts';
import { withTransaction } from '../transaction.ts';

interface Dependencies {
  readonly database: Database;
  readonly modules: Modules;
}

const SNAPSHOT = 'set transaction isolation level repeatable read read only; ';

type Owned<Row> = Row & { readonly player_id: string };

/** Players, page by page, for the checker (`VerifyStore`). Takes no lock. */
export class PostgresVerifyStore implements VerifyStore {
  readonly #on: Dependencies;
  readonly #sql: Statements<VerifyStatement>;

  constructor(dependencies: Dependencies) {
    const { database } = dependencies;
    this.#on = dependencies;
    this.#sql = database.statements('verify', verifySql(database.schema));
  }

  async countPlayers(): Promise<number> {
    const [row] = await this.#sql.rows<{ count: number }>('count');
    return row?.count ?? 0;
  }

  async nextRange(after: string, limit: number): Promise<PlayerRange | undefined> {
    const [row] = await this.#sql.rows<{ up_to: string | null; players: number }>('range', [after, limit]);
    return row?.up_to ? { after, upTo: row.up_to, players: row.players } : undefined;
  }

  read({ after, upTo }: PlayerRange): Promise<readonly StoredPlayer[]> {
    return withTransaction(this.#on.database.pool, async (tx) => {
      await setStatementTimeout(tx, 60_000, SNAPSHOT);
      const rows =
        <Row>(statement: VerifyStatement) =>
        () =>
          this.#sql.rows<Row>(statement, [after, upTo], tx);
      const [homes, things, checkpoints, events] = await inOrder(tx, [
        rows<HomeRow>('homes'),
        rows<StoredThing>('things'),
        rows<{ player_id: string; home: CheckpointHome }>('checkpoints'),
        rows<Owned<EventRow>>('events'),
      ]);
      const thingsOf = Map.groupBy(things, (thing) => thing.player_id);
      const eventsOf = Map.groupBy(events, (event) => event.player_id);
      const { modules } = this.#on;
      const checkpointOf = new Map(
        checkpoints.map(({ player_id, home }) => [player_id, fromCheckpoint(modules, home)]),
      );
      return homes.map((row) => {
        const id = row.player_id;
        return {
          home: homeOf(modules, row, { things: thingsOf.get(id) ?? [] }),
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
    return withTransaction(this.#on.database.pool, async (tx) => {
      await setStatementTimeout(tx, 0, SNAPSHOT);
      const rows = await this.#sql.rows<{ table: string; player_id: string }>('orphans', [limit], tx);
      return rows.map(({ table, player_id }) => ({ table, playerId: player_id }));
    });
  }
}

/** Of a range with more than one player. */
const MOST_EVENTS = 20_000;

type VerifyStatement = keyof ReturnType<typeof verifySql>;

/** The statements of the checker. `$1` and `$2` are a range of players: after, up to. `schema` is a checked identifier. */
const verifySql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  const inRange = 'h.player_id > $1 and h.player_id <= $2';
  const without = (table: string): string =>
    `select '${table}' as "table", o.player_id from ${at(table)} o
      where not exists (select from ${at('home')} h where h.player_id = o.player_id) group by 1, 2`;
  return {
    count: `select count(*)::int as count from ${at('home')}`,

    // Ends before too many events for the memory.
    range: `
select max(player_id) as up_to, count(*)::int as players from (
  select player_id, row_number() over by_id as place, sum(events) over by_id as events from (
    select h.player_id, h.seq - coalesce(c.seq, 0) as events
    from ${at('home')} h left join ${at('checkpoint')} c on c.player_id = h.player_id
    where h.player_id > $1 order by h.player_id limit $2) p
  window by_id as (order by player_id)) r
where place = 1 or events <= ${MOST_EVENTS}`,

    homes: `select player_id, seq, last_at, tx, frozen_at, life, opened, items, counters from ${at('home')} h where ${inRange} order by player_id`,

    things: `select h.player_id, h.module, h.thing_id, h.version, h.state, h.id, h.due_at from ${at('thing')} h where ${inRange}`,

    checkpoints: `select h.player_id, h.home from ${at('checkpoint')} h where ${inRange}`,
    events: `select h.player_id, h.seq, h.at, h.type, h.body, h.command_id from ${at('event')} h
      where ${inRange} order by h.player_id, h.seq`,

    orphans: `select * from (
        ${without('thing')} union all ${without('event')}
        union all ${without('checkpoint')}) o
      order by 2, 1 limit $1`,
  } as const;
};
