import { type Home, newHome } from '../../../../shared/home.ts';
import { fold } from '../../../domain/evolve.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { RetainedStore } from '../../../home/log/retention.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import type { Database, Statements } from '../database.ts';
import type { CheckpointHome } from '../schema/home-entities.ts';
import { withTransaction } from '../transaction.ts';
import { OLDEST_OPEN } from './consumer-store.ts';
import { type EventRow, eventOf, fromCheckpoint, toCheckpoint } from './home-rows.ts';
import { besideErase } from './home-sql.ts';

interface Dependencies {
  readonly database: Database;
  readonly modules: Modules;
}

interface OwnedEventRow extends EventRow {
  readonly player_id: string;
}

/** Old rows in Postgres (`RetainedStore`). Takes no lock that a command waits for. */
export class PostgresRetainedStore implements RetainedStore {
  readonly #on: Dependencies;
  readonly #sql: Statements<keyof ReturnType<typeof retainedSql>>;

  constructor(dependencies: Dependencies) {
    const { database } = dependencies;
    this.#on = dependencies;
    this.#sql = database.statements('retained', retainedSql(database.schema));
  }

  nowMs(): Promise<number> {
    return this.#on.database.now();
  }

  foldEvents(beforeMs: number, limit: number): Promise<number> {
    return withTransaction(this.#on.database.pool, async (tx) => {
      await this.#sql.run('alone', [], tx);
      const oldest = await this.#sql.rows<OwnedEventRow>('oldest', [limit], tx);
      // A returning player's events have old dates but were written now, so the first recent event ends the old ones.
      const recent = oldest.findIndex(({ at }) => Number(at) >= beforeMs);
      const old = recent === -1 ? oldest : oldest.slice(0, recent);
      const byPlayer = Map.groupBy(old, (row) => row.player_id);
      if (old.length > 0) await this.#fold(tx, byPlayer);
      return old.length;
    });
  }

  async #fold(tx: Tx, rows: ReadonlyMap<string, readonly OwnedEventRow[]>): Promise<void> {
    const { modules } = this.#on;
    const players = [...rows.keys()];
    const kept = await this.#sql.rows<{ player_id: string; home: CheckpointHome }>('checkpoints', [players], tx);
    const earlier = new Map(kept.map(({ player_id, home }) => [player_id, fromCheckpoint(modules, home)]));
    const homes = [...rows].map(([playerId, own]) => folded(modules, earlier.get(playerId) ?? newHome(playerId), own));
    const ends = homes.map(({ seq }) => seq);
    const checkpoints = homes.map((home) => JSON.stringify(toCheckpoint(modules, home)));
    await this.#sql.run('saveCheckpoints', [players, ends, checkpoints], tx);
    await this.#sql.run('deleteEvents', [players, ends], tx);
  }
}

/** Throws if the log has a gap: after the deletion the missing events could not be known. */
const folded = (modules: Modules, home: Home, rows: readonly EventRow[]): Home => {
  const events = rows.map(eventOf);
  for (const [at, { seq }] of events.entries()) {
    if (seq !== home.seq + at + 1) throw new Error(`the log of ${home.playerId} has a gap before ${seq}`);
  }
  return fold(modules, home, events);
};

/** The statements of the retention. `schema` is a checked identifier. */
const retainedSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  return {
    /** Without the lock two processes would each fold a part, and a player who is erased meanwhile would get a checkpoint. */
    alone: `select pg_advisory_xact_lock(${besideErase(schema, 'fold')})`,

    /** In the consumers' order, up to the place of the slowest one. */
    oldest: `with slowest as (
        select tx, player_id, seq from ${at('consumer')}
        union all select 9223372036854775807, '', 0 order by tx, player_id, seq limit 1)
      select e.* from slowest s cross join lateral (
        select tx, player_id, seq, at, type, body, command_id from ${at('event')} o
        where (o.tx, o.player_id, o.seq) <= (s.tx, s.player_id, s.seq) and o.tx < ${OLDEST_OPEN}
        order by o.tx, o.player_id, o.seq limit $1) e
      order by e.tx, e.player_id, e.seq`,

    checkpoints: `select player_id, home from ${at('checkpoint')} where player_id = any($1::text[])`,

    saveCheckpoints: `insert into ${at('checkpoint')} (player_id, seq, home)
      select * from unnest($1::text[], $2::bigint[], $3::jsonb[])
      on conflict (player_id) do update set seq = excluded.seq, home = excluded.home`,

    deleteEvents: `delete from ${at('event')} e using unnest($1::text[], $2::bigint[]) as d(player_id, seq)
      where e.player_id = d.player_id and e.seq <= d.seq`,
  } as const;
};
