import type { Pool } from 'pg';
import type { HomeEvent } from '../../../shared/event.ts';
import type { Home } from '../../../shared/home.ts';
import type { OpsFailedGroup, OpsHit } from '../../../shared/ops-answers.ts';
import { epochOf } from '../../home/epoch-of.ts';
import type { Inventory } from '../../home/inventory.ts';
import { playerTarget } from '../../ops/audit.ts';
import type { WholeLog } from '../../ops/explain-feeding.ts';
import type { HomeSeen, OpsReads, TimerCounts, TimerFilter, TimerPage } from '../../ops/ops-reads.ts';
import type { Timer } from '../../timer/timer.ts';
import type { Tx } from '../../timer/timer-store.ts';
import { type TrustedTime, unguarded } from '../../timer/trusted-time.ts';
import { everythingOf } from './everything-of.ts';
import { type EventRow, eventOf, type HomeRow, homeOf, type PetRow } from './home-rows.ts';
import { type HomeSql, homeSql } from './home-sql.ts';
import { inTransaction } from './in-transaction.ts';
import { type OpsSql, opsSql } from './ops-sql.ts';
import { query } from './statement.ts';
import { filterSql, listSql } from './timer-filter.ts';
import { type TimerRow, timerOf } from './timer-row.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  readonly inventory: Inventory;
  /** For tests: a clock instead of Postgres'. */
  readonly nowMs?: () => number;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

const LOG_PAGE = 1000;

interface HitRow {
  readonly id: string;
  readonly player_id: string;
  readonly type: OpsHit['type'];
  readonly label: string;
}

/** What operators see, in Postgres (`OpsReads`). */
export class PostgresOpsReads implements OpsReads {
  readonly #dependencies: Dependencies;
  readonly #sql: OpsSql;
  readonly #homes: HomeSql;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#sql = opsSql(dependencies.schema);
    this.#homes = homeSql(dependencies.schema);
  }

  nowMs(): Promise<number> {
    return this.#now(this.#dependencies.pool);
  }

  home(playerId: string): Promise<HomeSeen | undefined> {
    return this.#snapshot(async (tx) => {
      const [row] = await this.#rows<HomeRow>(tx, 'home', [playerId]);
      if (!row) return undefined;
      const pets = await this.#homeRows<PetRow>(tx, 'pets', [[playerId]]);
      const stocks = await this.#dependencies.inventory.load(tx, [playerId]);
      const [epoch] = await this.#homeRows<{ epoch: string }>(tx, 'epoch', []);
      const home = homeOf(row, pets, stocks.get(playerId) ?? {});
      return { home, epoch: epochOf(epoch?.epoch ?? '', row.life), nowMs: await this.#now(tx) };
    });
  }

  async logPage(playerId: string, beforeSeq: number | undefined, limit: number): Promise<readonly HomeEvent[]> {
    const values = [playerId, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit];
    return (await this.#rows<EventRow>(this.#dependencies.pool, 'logPage', values)).map(eventOf);
  }

  async actors(playerId: string, commandIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (commandIds.length === 0) return new Map();
    const rows = await this.#rows<{ command_id: string; actor: string }>(this.#dependencies.pool, 'actors', [
      playerTarget(playerId),
      commandIds,
    ]);
    return new Map(rows.map(({ command_id, actor }) => [command_id, actor]));
  }

  wholeLog(playerId: string): Promise<WholeLog> {
    return this.#snapshot(async (tx) => {
      const [kept] = await this.#rows<{ home: Home }>(tx, 'checkpoint', [playerId]);
      return { checkpoint: kept?.home, events: await this.#events(tx, playerId) };
    });
  }

  everything(playerId: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return this.#snapshot(async (tx) => {
      const { inventory } = this.#dependencies;
      const rows = (statement: keyof OpsSql, value: string) => this.#rows<object>(tx, statement, [value]);
      const [home] = await rows('home', playerId);
      const [checkpoint] = await this.#rows<{ home: Home }>(tx, 'checkpoint', [playerId]);
      return everythingOf({
        playerId,
        home,
        items: (await inventory.load(tx, [playerId])).get(playerId) ?? {},
        pets: await this.#homeRows<object>(tx, 'pets', [[playerId]]),
        feedings: await rows('feedings', playerId),
        timers: await rows('timers', playerId),
        checkpoint: checkpoint?.home,
        events: await this.#events(tx, playerId),
        audit: await rows('audit', playerTarget(playerId)),
        jobs: await rows('jobs', playerId),
      });
    });
  }

  playersByPrefix(prefix: string, limit: number): Promise<readonly OpsHit[]> {
    return this.#hits('playersByPrefix', [likePrefix(prefix), limit]);
  }

  petsByName(prefix: string, limit: number): Promise<readonly OpsHit[]> {
    return this.#hits('petsByName', [likePrefix(prefix), limit]);
  }

  async pet(petId: string): Promise<OpsHit | undefined> {
    return (await this.#hits('pet', [petId]))[0];
  }

  async listTimers(filter: TimerFilter, page: TimerPage): Promise<readonly Timer[]> {
    const { values, ...conditions } = filterSql(filter, page.after);
    const text = listSql(this.#timer, conditions, page);
    return (await this.#dependencies.pool.query<TimerRow>(text, [...values])).rows.map(timerOf);
  }

  async countTimers(filter: TimerFilter): Promise<number> {
    const { where, values } = filterSql(filter);
    const text = `select count(*)::int as count from ${this.#timer} where ${where}`;
    return (await this.#dependencies.pool.query<{ count: number }>(text, [...values])).rows[0]?.count ?? 0;
  }

  async histogram(bounds: readonly number[]): Promise<readonly number[]> {
    const rows = await this.#rows<{ bucket: number; count: number }>(this.#dependencies.pool, 'histogram', [bounds]);
    const counts = new Map(rows.map(({ bucket, count }) => [bucket, count]));
    return Array.from({ length: bounds.length + 1 }, (_, bucket) => counts.get(bucket) ?? 0);
  }

  async failedGroups(derivedKinds: readonly string[], limit: number): Promise<readonly OpsFailedGroup[]> {
    const rows = await this.#rows<Omit<OpsFailedGroup, 'newestAtMs'> & { newest_at: string }>(
      this.#dependencies.pool,
      'failedGroups',
      [derivedKinds, limit],
    );
    return rows.map(({ newest_at, ...group }) => ({ ...group, newestAtMs: Number(newest_at) }));
  }

  async counts(derivedKinds: readonly string[]): Promise<TimerCounts> {
    type Row = Omit<TimerCounts, 'nowMs' | 'oldestFireAtMs'> & { now_ms: string; oldest: string | null };
    const { pool, nowMs, time = unguarded } = this.#dependencies;
    const [row] = await this.#rows<Row>(pool, 'counts', [derivedKinds, nowMs?.() ?? time.heldMs ?? null]);
    if (!row) throw new Error('counts are one row');
    const { now_ms, oldest, ...counts } = row;
    return { ...counts, nowMs: Number(now_ms), oldestFireAtMs: oldest === null ? undefined : Number(oldest) };
  }

  async lockTimer(tx: Tx, timerId: string): Promise<Timer | undefined> {
    return (await this.#rows<TimerRow>(tx, 'lockTimer', [timerId])).map(timerOf)[0];
  }

  async lockDead(tx: Tx, kind: string, error: string | undefined, limit: number): Promise<readonly Timer[]> {
    return (await this.#rows<TimerRow>(tx, 'lockDead', [kind, error ?? null, limit])).map(timerOf);
  }

  get #timer(): string {
    return `"${this.#dependencies.schema}".timer`;
  }

  async #events(tx: Tx, playerId: string): Promise<readonly HomeEvent[]> {
    const events: HomeEvent[] = [];
    for (;;) {
      const page = await this.#rows<EventRow>(tx, 'logAfter', [playerId, events.at(-1)?.seq ?? 0, LOG_PAGE]);
      events.push(...page.map(eventOf));
      if (page.length < LOG_PAGE) return events;
    }
  }

  async #hits(statement: keyof OpsSql, values: readonly unknown[]): Promise<readonly OpsHit[]> {
    const rows = await this.#rows<HitRow>(this.#dependencies.pool, statement, values);
    return rows.map(({ id, player_id, type, label }) => ({ id, type, label, playerId: player_id }));
  }

  async #now(tx: Tx): Promise<number> {
    const { nowMs, time = unguarded } = this.#dependencies;
    const trusted = time.reading();
    const [row] = nowMs ? [{ now_ms: nowMs() }] : await this.#homeRows<{ now_ms: string }>(tx, 'now', []);
    return trusted(Number(row?.now_ms));
  }

  /** All of it is of one moment. Not read-only: a game's inventory may lock what it loads. Scans may take longer than commands. */
  #snapshot<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer> {
    return inTransaction(this.#dependencies.pool, async (tx) => {
      await tx.query('set transaction isolation level repeatable read; set local statement_timeout = 60000');
      return work(tx);
    });
  }

  #homeRows<Row>(tx: Tx, statement: keyof HomeSql, values: readonly unknown[]): Promise<readonly Row[]> {
    const name = `${this.#dependencies.schema}.${statement}`;
    return query(tx, { name, text: this.#homes[statement], values });
  }

  #rows<Row>(tx: Tx, statement: keyof OpsSql, values: readonly unknown[]): Promise<readonly Row[]> {
    const name = `${this.#dependencies.schema}.ops.${statement}`;
    return query(tx, { name, text: this.#sql[statement], values });
  }
}

/** What begins with the text; what `like` would take for a sign is taken literally. */
const likePrefix = (text: string): string => `${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
