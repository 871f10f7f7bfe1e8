import type { HomeEvent } from '../../../../shared/event.ts';
import { ModuleFault, ModuleMissing } from '../../../domain/module-fault.ts';
import type { Modules } from '../../../domain/modules.ts';
import { epochOf } from '../../../home/model/commit.ts';
import { bitsBy } from '../../../home/model/draw-bits.ts';
import { StoreFault } from '../../../home/model/faults.ts';
import type { Decide, HomeChange, HomeRequest, HomeStore, LoadedHomes, Saved } from '../../../home/model/home-store.ts';
import { itemMoves, writeHostRows } from '../../../home/write/row-changes.ts';
import { Locked } from '../../../timer/model/timer-errors.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import type { Database } from '../database.ts';
import { lend, wholeOrNothing } from '../lend.ts';
import { PLANNED_ONCE } from '../plans.ts';
import type { Step } from '../statement.ts';
import { beginWithin, type Ends, type Failure, steppedTransaction, type TransactionLimits } from '../transaction.ts';
import { isContention, isDataFault, isWorldFault, markUnreadable } from '../world-fault.ts';
import { HomeLoader } from './home-loader.ts';
import { type EventRow, eventOf, type HomeRow } from './home-rows.ts';
import { type HomeSql, homeSql } from './home-sql.ts';
import { saveHomes } from './home-writes.ts';
import type { HostInventory } from './host-inventory.ts';

interface Dependencies {
  readonly database: Database;
  readonly modules: Modules;
  /** The game's own inventory. Default: the stock is in the home's row. */
  readonly inventory?: HostInventory | undefined;
  readonly limits: TransactionLimits;
}

interface Changing<Value> extends Ends {
  readonly tx: Tx;
  readonly request: HomeRequest;
  readonly decide: Decide<Value>;
}

/** The homes in Postgres (`HomeStore`): two round trips for a batch of any size, three with a game's own inventory. */
export class PostgresHomeStore implements HomeStore {
  readonly #on: Dependencies;
  readonly #sql: HomeSql;
  readonly #loader: HomeLoader;
  #chance: LoadedHomes['chance'] | undefined;

  constructor(dependencies: Dependencies) {
    const { database, modules, inventory } = dependencies;
    this.#on = dependencies;
    this.#sql = database.statements('', homeSql(database.schema));
    this.#loader = new HomeLoader({ database, modules, sql: this.#sql, inventory });
  }

  async change<Value>(request: HomeRequest, decide: Decide<Value>): Promise<Saved<Value>> {
    const { database, limits } = this.#on;
    await reading(() => this.#chanceIn());
    return steppedTransaction({
      pool: database.pool,
      begin: `${beginWithin(limits)}; ${PLANNED_ONCE}`,
      work: (tx, ends) => this.#change({ tx, request, decide, ...ends }),
      faultOf,
    });
  }

  changeIn<Value>(tx: Tx, request: HomeRequest, decide: Decide<Value>): Promise<Saved<Value>> {
    const waits = tx.waitsForLocks !== false;
    const decideOnAll: Decide<Value> = (loaded) => {
      const isAll = loaded.homes.size === request.playerIds.length;
      if (!waits && !isAll) throw new Locked('a home is locked by another transaction');
      return decide(loaded);
    };
    const asked = { ...request, waits };
    return this.#change({ tx, request: asked, decide: decideOnAll, begin: nothing, commit: nothing }).catch((error) => {
      throw error instanceof ModuleMissing ? markUnreadable(error) : error;
    });
  }

  whole<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
    const { modules, inventory } = this.#on;
    const isHosts = inventory !== undefined || modules.all.some(({ rules }) => rules.inTransaction);
    return isHosts ? wholeOrNothing(tx, work) : work();
  }

  events(playerId: string, afterSeq: number, limit: number): Promise<readonly HomeEvent[]> {
    return reading(async () =>
      (await this.#sql.rows<EventRow>('eventsAfter', [playerId, afterSeq, limit])).map(eventOf),
    );
  }

  newestSeqs(playerIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return reading(async () => {
      const rows = await this.#sql.rows<HomeRow>('homes', [playerIds]);
      return new Map(rows.map((row) => [row.player_id, Number(row.seq)]));
    });
  }

  async epoch(playerId?: string): Promise<string> {
    const { epoch } = await reading(() => this.#chanceIn());
    if (playerId === undefined) return epoch;
    const [found] = await reading(() => this.#sql.rows<{ life: number }>('life', [playerId]));
    return epochOf(epoch, found?.life);
  }

  nowMs(): Promise<number> {
    return reading(() => this.#on.database.now());
  }

  /** Read once, since a new epoch begins only while no process runs. */
  async #chanceIn(tx?: Tx): Promise<LoadedHomes['chance']> {
    if (this.#chance) return this.#chance;
    const [row] = await this.#sql.rows<{ epoch: string; secret: string }>('chance', [], tx);
    if (!row) throw new Error('the table epoch is empty: run the migrations');
    this.#chance ??= { epoch: row.epoch, bits: bitsBy(row.secret) };
    return this.#chance;
  }

  /** `begin` and `commit`: sent here if the transaction is ours, else by the caller. */
  async #change<Value>({ tx, request, decide, begin, commit }: Changing<Value>): Promise<Saved<Value>> {
    const { modules, inventory } = this.#on;
    const chance = await this.#chanceIn(tx);
    const loaded = await this.#loader.lockAndLoad(tx, request, begin);
    const { changes, value, isTrial = false } = decide({ ...loaded, chance });
    const moves = inventory ? itemMoves(changes, loaded.lives) : [];
    // Awaited, because it may send several statements, which a commit would overtake on a connection that pipelines.
    if (moves.length > 0) await inventory?.apply(tx, moves);
    const isOfWorld = (error: unknown): boolean => isWorldFault(error) || isContention(error);
    await writeHostRows({ modules, lend: (work) => lend(tx, work), isOfWorld }, changes);
    const index = await saveHomes({
      modules,
      tx,
      changes,
      // Without things there are no due times to rewrite.
      loaded: isTrial ? { ...loaded, things: new Map() } : loaded,
      commit,
      hasOwnItems: inventory === undefined,
      sql: this.#sql,
    }).catch((error: unknown) => {
      throw isDataFault(error) ? faultOfData(modules, changes, error) : error;
    });
    return { index, value };
  }
}

const reading = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw new StoreFault('down', error);
  }
};

/** The rules made data that the database cannot store. With several homes, the write path finds out which one. */
const faultOfData = (modules: Modules, changes: readonly HomeChange[], error: unknown): ModuleFault => {
  const made = changes.flatMap(({ events }) => events.flatMap(({ type }) => modules.ofEvent(type)?.module.name ?? []));
  return new ModuleFault({ module: [...new Set(made)].join(', ') || 'home', rule: 'what the rules return' }, error);
};

/** The fault of a failed transaction: `unknown` if the result of its commit was lost. */
const faultOf = ({ error, progress, isConnectionLost }: Failure): StoreFault => {
  if (!isConnectionLost) return new StoreFault('failed', error);
  return new StoreFault(progress === 'committing' ? 'unknown' : 'down', error);
};

/** The step in a caller's transaction, which the caller begins and commits. */
const nothing: Step = async () => undefined;
