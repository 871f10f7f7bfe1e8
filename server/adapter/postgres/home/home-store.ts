import type { Pool } from 'pg';
import type { HomeEvent } from '../../../../shared/event.ts';
import { type Home, newHome } from '../../../../shared/home.ts';
import { FEEDING } from '../../../domain/timers-of.ts';
import { epochOf } from '../../../home/model/epoch-of.ts';
import type {
  AnsweredCommand,
  CommandKey,
  Decide,
  HomeRequest,
  HomeStore,
  HomesChanged,
} from '../../../home/model/home-store.ts';
import type { Inventory } from '../../../home/model/inventory.ts';
import { StoreFault } from '../../../home/model/store-fault.ts';
import { itemMoves } from '../../../home/write/item-moves.ts';
import type { ComparedHomes } from '../../../home/write/timer-changes.ts';
import { type TrustedTime, unguarded } from '../../../timer/clock/trusted-time.ts';
import { Locked } from '../../../timer/model/locked.ts';
import type { TimerStore, Tx } from '../../../timer/model/timer-store.ts';
import { inOrder, query } from '../statement.ts';
import type { Step } from '../stepped-transaction.ts';
import type { TransactionLimits } from '../transaction-limits.ts';
import {
  type AnsweredRow,
  answeredOf,
  type EventRow,
  eventOf,
  type FeedingTimerRow,
  feedingRowOf,
  type HomeRow,
  homeOf,
  type MissingRow,
  type PetRow,
} from './home-rows.ts';
import { type HomeSql, homeSql } from './home-sql.ts';
import { homeTransaction } from './home-transaction.ts';
import { homeWrites, type LoadedRows } from './home-writes.ts';
import { hostInventory } from './host-inventory.ts';
import { ItemInventory } from './item-inventory.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  readonly timers: Pick<TimerStore, 'changeDerived'>;
  readonly inventory: Inventory;
  readonly limits: TransactionLimits;
  /** For tests: a clock instead of Postgres'. */
  readonly nowMs?: () => number;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

const NOTHING: HomesChanged = { put: [], remove: [] };

/** The homes in Postgres (`HomeStore`): three round trips for a batch of any size. */
export class PostgresHomeStore implements HomeStore {
  readonly #dependencies: Dependencies;
  readonly #sql: HomeSql;
  readonly #inventory: Inventory;
  readonly #isHosts: boolean;
  #epoch: string | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#sql = homeSql(dependencies.schema);
    const { inventory } = dependencies;
    this.#isHosts = !(inventory instanceof ItemInventory);
    this.#inventory = this.#isHosts ? hostInventory(inventory) : inventory;
  }

  async change(request: HomeRequest, decide: Decide): Promise<HomesChanged> {
    const { pool, limits } = this.#dependencies;
    let result = NOTHING;
    const changed = (changes: HomesChanged): void => {
      result = changes;
    };
    await homeTransaction(pool, limits, (tx, begin) => this.#prepare(tx, request, decide, changed, begin));
    return result;
  }

  async changeIn(tx: Tx, request: HomeRequest, decide: Decide): Promise<HomesChanged> {
    let result = NOTHING;
    const waits = tx.waitsForLocks !== false;
    const decideOnAll: Decide = (loaded) => {
      const isAll = loaded.homes.size === request.playerIds.length;
      if (!waits && !isAll) throw new Locked('a home is locked by another transaction');
      return decide(loaded);
    };
    const writes = await this.#prepare(tx, { ...request, waits }, decideOnAll, (changes) => {
      result = changes;
    });
    await inOrder(tx, writes);
    return result;
  }

  events(playerId: string, afterSeq: number, limit: number): Promise<readonly HomeEvent[]> {
    return this.#reading(async (tx) =>
      (await this.#rows<EventRow>(tx, 'eventsAfter', [playerId, afterSeq, limit])).map(eventOf),
    );
  }

  newestSeqs(playerIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#reading(async (tx) => {
      const rows = await this.#rows<HomeRow>(tx, 'homes', [playerIds]);
      return new Map(rows.map((row) => [row.player_id, Number(row.seq)]));
    });
  }

  async epoch(playerId?: string): Promise<string> {
    this.#epoch ??= await this.#reading(async (tx) => {
      const [row] = await this.#rows<{ epoch: string }>(tx, 'epoch', []);
      if (!row) throw new Error('the table epoch is empty: run the migrations');
      return row.epoch;
    });
    if (playerId === undefined) return this.#epoch;
    const [found] = await this.#reading((tx) => this.#rows<{ life: number }>(tx, 'life', [playerId]));
    return epochOf(this.#epoch, found?.life);
  }

  nowMs(): Promise<number> {
    return this.#reading((tx) => this.#now(tx));
  }

  /** Locks, loads and decides; answers the writes, which tell `changed` what became of the timer rows. */
  async #prepare(
    tx: Tx,
    request: HomeRequest,
    decide: Decide,
    changed: (changes: HomesChanged) => void,
    begin?: Step,
  ): Promise<readonly Step[]> {
    const loaded = await this.#lockAndLoad(tx, request, begin);
    const changes = decide(loaded);
    const moves = itemMoves(changes);
    // A host's may need several statements, and on a connection that pipelines the commit would overtake them.
    if (this.#isHosts && moves.length > 0) await this.#inventory.apply(tx, moves);
    return homeWrites({
      tx,
      changes,
      loaded,
      changed,
      timers: this.#dependencies.timers,
      moves: this.#isHosts ? [] : moves,
      inventory: this.#inventory,
      run: (statement, columns) => this.#rows(tx, statement, columns),
    });
  }

  async #lockAndLoad(tx: Tx, request: HomeRequest, begin: Step | undefined): Promise<LoadedRows> {
    const { playerIds, commands, waits, compared = [] } = request;
    let rows: readonly HomeRow[] = [];
    let nowMs = 0;
    await inOrder(tx, [
      ...(begin ? [begin] : []),
      async () => {
        rows = await this.#rows<HomeRow>(tx, waits ? 'lock' : 'lockFree', [playerIds]);
      },
      async () => {
        nowMs = await this.#now(tx);
      },
    ]);
    const missing = await this.#missing(tx, request, rows);
    const busy = new Set(missing.flatMap((row) => (row.is_busy ? row.player_id : [])));
    const free = playerIds.filter((playerId) => !busy.has(playerId));
    const lives = new Map([...rows, ...missing].map((row) => [row.player_id, row.life]));
    let homes: ReadonlyMap<string, Home> = new Map();
    let answered: readonly AnsweredCommand[] = [];
    let timerRows: ComparedHomes['rows'] = new Map();
    await inOrder(tx, [
      async () => {
        homes = await this.#load(tx, free, rows);
      },
      async () => {
        answered = await this.#answered(tx, commands);
      },
      async () => {
        timerRows = await this.#timerRows(
          tx,
          compared.filter((playerId) => !busy.has(playerId)),
        );
      },
    ]);
    const lastTx = new Map(rows.map((row) => [row.player_id, row.tx]));
    return { nowMs, homes, answered, lives, lastTx, rows: timerRows };
  }

  /** Homes that were not obtained. Whoever has no row is new, and free unless somebody else makes it one. */
  async #missing(tx: Tx, request: HomeRequest, rows: readonly HomeRow[]): Promise<readonly MissingRow[]> {
    const locked = new Set(rows.map((row) => row.player_id));
    const missing = request.playerIds.filter((playerId) => !locked.has(playerId));
    if (missing.length === 0) return [];
    if (request.waits) await this.#rows(tx, 'awaitNew', [missing]);
    return this.#rows<MissingRow>(tx, 'missing', [missing]);
  }

  async #load(tx: Tx, playerIds: readonly string[], rows: readonly HomeRow[]): Promise<ReadonlyMap<string, Home>> {
    let pets: readonly PetRow[] = [];
    let stocks: Awaited<ReturnType<Inventory['load']>> = new Map();
    await inOrder(tx, [
      async () => {
        pets = await this.#rows<PetRow>(tx, 'pets', [playerIds]);
      },
      async () => {
        stocks = await this.#inventory.load(tx, playerIds);
      },
    ]);
    const known = new Map(rows.map((row) => [row.player_id, row]));
    const petsOf = Map.groupBy(pets, (pet) => pet.player_id);
    return new Map(
      playerIds.map((playerId) => {
        const row = known.get(playerId);
        const items = stocks.get(playerId) ?? {};
        return [playerId, row ? homeOf(row, petsOf.get(playerId) ?? [], items) : { ...newHome(playerId), items }];
      }),
    );
  }

  async #timerRows(tx: Tx, playerIds: readonly string[]): Promise<ComparedHomes['rows']> {
    if (playerIds.length === 0) return new Map();
    const found = await this.#rows<FeedingTimerRow>(tx, 'timerRows', [playerIds, FEEDING]);
    const byOwner = Map.groupBy(found, (row) => row.owner);
    return new Map(playerIds.map((playerId) => [playerId, (byOwner.get(playerId) ?? []).map(feedingRowOf)]));
  }

  async #answered(tx: Tx, commands: readonly CommandKey[]): Promise<readonly AnsweredCommand[]> {
    if (commands.length === 0) return [];
    const rows = await this.#rows<AnsweredRow>(tx, 'answered', [
      commands.map((command) => command.playerId),
      commands.map((command) => command.commandId),
    ]);
    return answeredOf(rows);
  }

  async #now(tx: Tx): Promise<number> {
    const { nowMs, time = unguarded } = this.#dependencies;
    const trusted = time.reading();
    const [row] = nowMs ? [{ now_ms: nowMs() }] : await this.#rows<{ now_ms: string }>(tx, 'now', []);
    return trusted(Number(row?.now_ms));
  }

  async #reading<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer> {
    try {
      return await work(this.#dependencies.pool);
    } catch (error) {
      throw new StoreFault('down', error);
    }
  }

  #rows<Row>(tx: Tx, statement: keyof HomeSql, values: readonly unknown[]): Promise<readonly Row[]> {
    return query(tx, {
      name: `${this.#dependencies.schema}.${statement}`,
      text: this.#sql[statement],
      values,
    });
  }
}
