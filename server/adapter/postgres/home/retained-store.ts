import { type Home, newHome } from '../../../../shared/home.ts';
import { fold } from '../../../domain/evolve.ts';
import { ModuleMissing } from '../../../domain/module-fault.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { RetainedStore } from '../../../home/log/retention.ts';
import type { EngineLog } from '../../../runtime/engine-log.ts';
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
  readonly log: Pick<EngineLog, 'error'>;
}

/** More homes than this do not fail by themselves: the modules of this process do, and nothing is folded. */
const MOST_LEFT = 100;

interface CheckpointRow {
  readonly player_id: string;
  readonly home: CheckpointHome;
}

interface OwnedEventRow extends EventRow {
  readonly player_id: string;
  readonly tx: string;
  /** A module that is retired has opened the home. */
  readonly rests: boolean;
}

type Place = readonly [tx: string, playerId: string, seq: string];

/** Old rows in Postgres (`RetainedStore`). Takes no lock that a command waits for. */
export class PostgresRetainedStore implements RetainedStore {
  readonly #on: Dependencies;
  readonly #sql: Statements<keyof ReturnType<typeof retainedSql>>;
  /** Players with a log that this process cannot fold: their events stay. */
  readonly #left = new Set<string>();
  /** All events up to here are folded or stay. Only events of resting homes move it, so that each is read once. */
  #after: Place = ['0', '', '0'];

  constructor(dependencies: Dependencies) {
    const { database } = dependencies;
    this.#on = dependencies;
    this.#sql = database.statements('retained', retainedSql(database.schema));
  }

  nowMs(): Promise<number> {
    return this.#on.database.now();
  }

  async foldEvents(beforeMs: number, limit: number): Promise<number> {
    const { database, modules } = this.#on;
    const { resting, folded, last } = await withTransaction(database.pool, async (tx) => {
      await this.#sql.run('alone', [], tx);
      const asked = [limit, [...this.#left], modules.retired, ...this.#after];
      const oldest = await this.#sql.rows<OwnedEventRow>('oldest', asked, tx);
      // A returning player's events have old dates but were written now, so the first recent event ends the old ones.
      const recent = oldest.findIndex(({ at }) => Number(at) >= beforeMs);
      const found = recent === -1 ? oldest : oldest.slice(0, recent);
      // The fold would lose the things of a retired module, and the module may come back.
      const folding = found.filter(({ rests }) => !rests);
      const byPlayer = Map.groupBy(folding, (row) => row.player_id);
      const folded = folding.length === 0 ? 0 : await this.#fold(tx, byPlayer);
      return { resting: found.length - folding.length, folded, last: found.at(-1) };
    });
    if (resting > 0 && last) this.#after = [last.tx, last.player_id, last.seq];
    return resting + folded;
  }

  async #fold(tx: Tx, rows: ReadonlyMap<string, readonly OwnedEventRow[]>): Promise<number> {
    const kept = await this.#sql.rows<CheckpointRow>('checkpoints', [[...rows.keys()]], tx);
    const earlier = new Map(kept.map(({ player_id, home }) => [player_id, home]));
    const homes = [...rows].flatMap(([playerId, own]) => this.#folded(playerId, earlier.get(playerId), own));
    const players = homes.map(({ playerId }) => playerId);
    const ends = homes.map(({ seq }) => seq);
    const checkpoints = homes.map((home) => JSON.stringify(toCheckpoint(this.#on.modules, home)));
    await this.#sql.run('saveCheckpoints', [players, ends, checkpoints], tx);
    return (await this.#sql.rows('deleteEvents', [players, ends], tx)).length;
  }

  /** None if the log cannot be folded: one such home must not stop the others. */
  #folded(playerId: string, kept: CheckpointHome | undefined, rows: readonly EventRow[]): readonly Home[] {
    const { modules, log } = this.#on;
    try {
      return [folded(modules, kept ? fromCheckpoint(modules, kept) : newHome(playerId), rows)];
    } catch (error) {
      if (error instanceof ModuleMissing || this.#left.size >= MOST_LEFT) throw error;
      this.#left.add(playerId);
      log.error({ err: error }, 'the old events of a player stay until the next start');
      return [];
    }
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
        select tx, player_id, seq, at, type, body, command_id, cardinality($3::text[]) > 0 and exists (
            select from ${at('home')} h where h.player_id = o.player_id and h.opened && $3::text[]) as rests
        from ${at('event')} o
        where (o.tx, o.player_id, o.seq) <= (s.tx, s.player_id, s.seq) and o.tx < ${OLDEST_OPEN}
          and (o.tx, o.player_id, o.seq) > ($4::bigint, $5::text, $6::bigint)
          and o.player_id <> all($2::text[])
        order by o.tx, o.player_id, o.seq limit $1) e
      order by e.tx, e.player_id, e.seq`,

    checkpoints: `select player_id, home from ${at('checkpoint')} where player_id = any($1::text[])`,

    saveCheckpoints: `insert into ${at('checkpoint')} (player_id, seq, home)
      select * from unnest($1::text[], $2::bigint[], $3::jsonb[])
      on conflict (player_id) do update set seq = excluded.seq, home = excluded.home`,

    deleteEvents: `delete from ${at('event')} e using unnest($1::text[], $2::bigint[]) as d(player_id, seq)
      where e.player_id = d.player_id and e.seq <= d.seq returning 1 as deleted`,
  } as const;
};
