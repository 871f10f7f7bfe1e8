import { type EntityManager, In, LessThan } from 'typeorm';
import type { Items } from '../../../../shared/items.ts';
import type { OpsFailedGroup, OpsHit } from '../../../../shared/ops/ops-answers.ts';
import type { Modules } from '../../../domain/modules.ts';
import { epochOf } from '../../../home/model/commit.ts';
import type { DeadTimers } from '../../../ops/acts/timer-acts.ts';
import type { OpsReads } from '../../../ops/ops.ts';
import { playerTarget } from '../../../ops/perform/perform.ts';
import type { LoggedEvent, WholeLog } from '../../../ops/reads/explain-thing.ts';
import type { HomeSeen } from '../../../ops/reads/player-reads.ts';
import type { OpsTimerCounts, TimerFilter, TimerPage } from '../../../ops/reads/timer-reads.ts';
import { isOfThing, type Timer } from '../../../timer/model/timer.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import type { Database, Statements } from '../database.ts';
import { fromCheckpoint, type HomeRow, homeOf, type StoredThing } from '../home/home-rows.ts';
import { type HomeSql, homeSql } from '../home/home-sql.ts';
import type { HostInventory } from '../home/host-inventory.ts';
import { epochOn } from '../schema/epoch.ts';
import { checkpointEntity, homeEntity, thingEntity } from '../schema/home-entities.ts';
import { auditEntity } from '../schema/ops-entities.ts';
import { Records } from '../schema/records.ts';
import { query, setStatementTimeout } from '../statement.ts';
import { type TimerRow, timerOf } from '../timer/timer-row.ts';
import { withTransaction } from '../transaction.ts';
import { ALONG_INDEXES, boundedSql, opsSql } from './ops-sql.ts';
import { allEventsOf, eventsOf, everythingOf, rowsOf } from './player-rows.ts';
import { countSql, listSql } from './timer-filter.ts';

interface Dependencies {
  readonly database: Database;
  readonly modules: Modules;
  /** The game's own inventory. */
  readonly inventory?: HostInventory | undefined;
}

type OpsSql = Statements<keyof ReturnType<typeof opsSql>>;

interface HitRow {
  readonly id: string;
  readonly player_id: string;
  readonly type: OpsHit['type'];
  readonly module: string | null;
  readonly label: string;
}

/** Dead and stuck timers are all counted. */
const BOUNDED_MS = 30_000;

/** The reads of operators in Postgres (`OpsReads`). */
export class PostgresOpsReads implements OpsReads {
  readonly #on: Dependencies;
  readonly #sql: OpsSql;
  readonly #homeSql: HomeSql;
  readonly #records: Records;

  constructor(dependencies: Dependencies) {
    const { database } = dependencies;
    this.#on = dependencies;
    this.#sql = database.statements('ops', opsSql(database.schema));
    this.#homeSql = database.statements('', homeSql(database.schema));
    this.#records = new Records(database);
  }

  nowMs(): Promise<number> {
    return this.#on.database.now();
  }

  home(playerId: string): Promise<HomeSeen | undefined> {
    return this.#snapshot(async (tx, manager) => {
      const [row] = (await rowsOf(manager, homeEntity, { playerId })) as readonly HomeRow[];
      if (!row) return undefined;
      const things = await this.#homeSql.rows<StoredThing>('things', [[playerId]], tx);
      const items = await this.#stock(tx, playerId);
      const home = homeOf(this.#on.modules, row, { things, items });
      return { home, epoch: epochOf(await epochOn(manager), row.life), nowMs: await this.#on.database.now(tx) };
    });
  }

  logPage(playerId: string, beforeSeq: number | undefined, limit: number): Promise<readonly LoggedEvent[]> {
    const where = { playerId, ...(beforeSeq !== undefined && { seq: LessThan(beforeSeq) }) };
    return this.#records.read((manager) => eventsOf(manager, where, { order: 'desc', limit }));
  }

  async actors(playerId: string, commandIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (commandIds.length === 0) return new Map();
    const where = { commandId: In([...commandIds]), target: playerTarget(playerId) };
    const found = { where, select: { commandId: true, actor: true } };
    const entries = await this.#records.read((manager) => manager.find(auditEntity, found));
    return new Map(entries.map(({ commandId, actor }) => [commandId, actor]));
  }

  wholeLog(playerId: string): Promise<WholeLog> {
    return this.#snapshot(async (_, manager) => {
      const kept = await manager.findOneBy(checkpointEntity, { playerId });
      const checkpoint = kept ? fromCheckpoint(this.#on.modules, kept.home) : undefined;
      return { checkpoint, events: await allEventsOf(manager, playerId) };
    });
  }

  everything(playerId: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return this.#snapshot(async (tx, manager) => {
      return everythingOf(manager, {
        playerId,
        items: await this.#stock(tx, playerId),
        events: await allEventsOf(manager, playerId),
        timers: await this.#sql.rows<{ readonly id: string | number }>('timersOf', [playerId], tx),
      });
    });
  }

  playersByPrefix(prefix: string, limit: number): Promise<readonly OpsHit[]> {
    return this.#sql.rows<HitRow>('playersByPrefix', [likePrefix(prefix), limit]).then(hitsOf);
  }

  thingsByTitle(prefix: string, limit: number): Promise<readonly OpsHit[]> {
    return this.#bounded<HitRow>('thingsByTitle', [likePrefix(prefix), limit]).then(hitsOf);
  }

  async things(playerId: string, thingId: string): Promise<readonly OpsHit[]> {
    const found = await this.#records.read((manager) => manager.findBy(thingEntity, { playerId, thingId }));
    return found.map(({ title, module }) => ({
      id: thingId,
      type: 'thing',
      module,
      label: title ?? thingId,
      playerId,
    }));
  }

  async listTimers(filter: TimerFilter, page: TimerPage): Promise<readonly Timer[]> {
    const { text, values } = listSql(this.#on.database.schema, filter, page);
    return (await query<TimerRow>(this.#on.database.pool, { text, values })).map(timerOf);
  }

  async countTimers(filter: TimerFilter): Promise<number> {
    const { text, values } = countSql(this.#on.database.schema, filter);
    return (await query<{ count: number }>(this.#on.database.pool, { text, values }))[0]?.count ?? 0;
  }

  async histogram(bounds: readonly number[]): Promise<readonly number[]> {
    return (await this.#bounded<{ count: number }>('histogram', [bounds])).map(({ count }) => count);
  }

  async failedGroups(limit: number): Promise<readonly OpsFailedGroup[]> {
    type Row = Omit<OpsFailedGroup, 'newestAtMs'> & { newest_at: string };
    const rows = await this.#bounded<Row>('failedGroups', [limit]);
    return rows.map(({ newest_at, ...group }) => ({ ...group, newestAtMs: Number(newest_at) }));
  }

  async counts(): Promise<OpsTimerCounts> {
    type Row = Omit<OpsTimerCounts, 'nowMs' | 'oldestFireAtMs'> & { now_ms: string; oldest: string | null };
    const [row] = await this.#bounded<Row>('counts', [this.#on.database.datedMs()]);
    if (!row) throw new Error('counts are one row');
    const { now_ms, oldest, ...counts } = row;
    return { ...counts, nowMs: Number(now_ms), oldestFireAtMs: oldest === null ? undefined : Number(oldest) };
  }

  async lockTimer(tx: Tx, timerId: string): Promise<Timer | undefined> {
    if (!isOfThing(timerId)) await this.#sql.run('lockTimer', [timerId], tx);
    const statement = isOfThing(timerId) ? 'thing' : 'timer';
    return (await this.#sql.rows<TimerRow>(statement, [timerId], tx)).map(timerOf)[0];
  }

  async lockDead(tx: Tx, { kind, error, limit }: DeadTimers): Promise<readonly Timer[]> {
    return (await this.#sql.rows<TimerRow>('lockDead', [kind, error ?? null, limit], tx)).map(timerOf);
  }

  /** Undefined if the stock is in the home's row. Its locks end here: a long read must not block commands. */
  async #stock(tx: Tx, playerId: string): Promise<Items | undefined> {
    const { inventory } = this.#on;
    if (!inventory) return undefined;
    await query(tx, { text: 'savepoint stock' });
    const stocks = await inventory.load(tx, [playerId]);
    await query(tx, { text: 'rollback to savepoint stock' });
    return stocks.get(playerId) ?? {};
  }

  /** Not prepared: a plan made on a young database would stay. */
  #bounded<Row>(name: keyof ReturnType<typeof boundedSql>, values: readonly unknown[]): Promise<readonly Row[]> {
    const { pool, schema } = this.#on.database;
    return withTransaction(pool, async (tx) => {
      await setStatementTimeout(tx, BOUNDED_MS, ALONG_INDEXES);
      return query<Row>(tx, { text: boundedSql(schema)[name], values });
    });
  }

  /** Reads one snapshot. Not read-only: a game's inventory may lock rows. Scans may take longer than commands. */
  #snapshot<Value>(work: (tx: Tx, manager: EntityManager) => Promise<Value>): Promise<Value> {
    return withTransaction(this.#on.database.pool, async (tx) => {
      await setStatementTimeout(tx, 60_000, 'set transaction isolation level repeatable read; ');
      return this.#records.read((manager) => work(tx, manager), tx);
    });
  }
}

const hitsOf = (rows: readonly HitRow[]): readonly OpsHit[] =>
  rows.map(({ player_id: playerId, module, ...hit }) => ({ ...hit, module: module ?? undefined, playerId }));

/** A pattern for a prefix; special characters of `like` are taken literally. */
const likePrefix = (text: string): string => `${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
