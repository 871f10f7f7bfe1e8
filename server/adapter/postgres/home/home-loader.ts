import { newHome } from '../../../../shared/home.ts';
import type { Items } from '../../../../shared/items.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { AnsweredCommand, CommandKey, HomeRequest, LoadedHomes } from '../../../home/model/home-store.ts';
import type { Inventory } from '../../../home/model/inventory.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import type { Database } from '../database.ts';
import { inOrder, type Step } from '../statement.ts';
import { type AnsweredRow, answeredOf, type HomeRow, homeOf, type MissingRow, type StoredThing } from './home-rows.ts';
import type { HomeSql } from './home-sql.ts';

interface Dependencies {
  readonly database: Database;
  readonly modules: Modules;
  readonly sql: HomeSql;
  /** The game's own inventory, if it has one. */
  readonly inventory: Pick<Inventory, 'load'> | undefined;
}

/** Each row has the clock; a player without things has one row with nothing else. */
type NowRow = { readonly now_ms: string; readonly rules: number } & (StoredThing | { readonly player_id: null });

/** The rows that a transaction has locked and loaded. */
export interface LoadedRows extends Omit<LoadedHomes, 'chance'> {
  /** By player, as in the table. */
  readonly things: ReadonlyMap<string, readonly StoredThing[]>;
  /** By player: the `tx` of the newest event, from the home's row. */
  readonly lastTx: ReadonlyMap<string, string>;
  /** By player: how often the id was erased. */
  readonly lives: ReadonlyMap<string, number>;
}

/** The first half of a change: locks and reads any number of homes in one round trip. */
export class HomeLoader {
  readonly #on: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /**
   * Statements that are sent after the lock run after it with their own snapshot, so nothing waits for the lock's
   * result. Homes that could not be locked are left out here, and so are their things and commands: the other
   * transaction may erase the home, which is then a new one. A host's inventory is asked only then: it locks rows, and
   * would wait for the transaction that has such a home.
   */
  async lockAndLoad(tx: Tx, request: HomeRequest, begin: Step): Promise<LoadedRows> {
    const { sql, database, inventory } = this.#on;
    const { playerIds, commands, waits } = request;
    const [, rows, { nowMs, rows: thingRows }, answered] = await inOrder(tx, [
      begin,
      () => sql.rows<HomeRow>(waits ? 'lock' : 'lockFree', [playerIds], tx),
      () => database.nowIn(() => sql.rows<NowRow>('thingsNow', [playerIds], tx)),
      () => this.#answered(tx, commands),
    ]);
    const missing = await this.#missing(tx, request, rows);
    const busy = new Set(missing.flatMap((row) => (row.is_busy ? row.player_id : [])));
    const free = playerIds.filter((playerId) => !busy.has(playerId));
    const stocks = await inventory?.load(tx, free);
    const lastTx = new Map(rows.map((row) => [row.player_id, row.tx]));
    const stored = thingRows.filter((row) => row.player_id !== null).filter((row) => lastTx.has(row.player_id));
    const things = Map.groupBy(stored, (thing) => thing.player_id);
    return {
      nowMs,
      rules: thingRows[0]?.rules ?? 0,
      homes: this.#homesOf(free, { rows, things, stocks }),
      answered: answered.filter(({ playerId }) => lastTx.has(playerId)),
      things,
      resting: restingIn(this.#on.modules, stored),
      lives: new Map([...rows, ...missing].map((row) => [row.player_id, row.life])),
      lastTx,
    };
  }

  /** Homes that could not be locked. A player without a row is new, and free unless another transaction makes the home now. */
  async #missing(tx: Tx, request: HomeRequest, rows: readonly HomeRow[]): Promise<readonly MissingRow[]> {
    const locked = new Set(rows.map((row) => row.player_id));
    const missing = request.playerIds.filter((playerId) => !locked.has(playerId));
    if (missing.length === 0) return [];
    if (request.waits) await this.#on.sql.run('awaitNew', [missing], tx);
    return this.#on.sql.rows<MissingRow>('missing', [missing], tx);
  }

  #homesOf(playerIds: readonly string[], { rows, things, stocks }: Found): LoadedHomes['homes'] {
    const known = new Map(rows.map((row) => [row.player_id, row]));
    return new Map(
      playerIds.map((playerId) => {
        const row = known.get(playerId);
        const own = things.get(playerId) ?? [];
        const items = stocks && (stocks.get(playerId) ?? {});
        const home = row
          ? homeOf(this.#on.modules, row, { things: own, items })
          : { ...newHome(playerId), ...(items && { items }) };
        return [playerId, home];
      }),
    );
  }

  async #answered(tx: Tx, commands: readonly CommandKey[]): Promise<readonly AnsweredCommand[]> {
    if (commands.length === 0) return [];
    const keys = [commands.map(({ playerId }) => playerId), commands.map(({ commandId }) => commandId)];
    return answeredOf(await this.#on.sql.rows<AnsweredRow>('answered', keys, tx));
  }
}

const restingIn = ({ retired }: Modules, rows: readonly StoredThing[]): NonNullable<LoadedHomes['resting']> => {
  const resting = retired.length === 0 ? [] : rows.filter(({ module }) => retired.includes(module));
  const byPlayer = Map.groupBy(resting, (row) => row.player_id);
  return new Map([...byPlayer].map(([id, own]) => [id, own.map(({ module, thing_id: thing }) => ({ module, thing }))]));
};

/** Rows of the locked homes. */
interface Found {
  readonly rows: readonly HomeRow[];
  readonly things: ReadonlyMap<string, readonly StoredThing[]>;
  /** From a game's own inventory. */
  readonly stocks: ReadonlyMap<string, Items> | undefined;
}
