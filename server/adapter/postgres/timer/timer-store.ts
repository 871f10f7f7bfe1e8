import { LATEST_MS } from '../../../../shared/latest-ms.ts';
import type { PageCursor, Pruned, PruneQuery, RowPage, TimerRef } from '../../../timer/model/index-entry.ts';
import { isOfThing, type Timer } from '../../../timer/model/timer.ts';
import type {
  ChangeOutcome,
  KindsChange,
  NewTimer,
  OwnersChange,
  ScheduleOutcome,
  ScheduleRequest,
  TimerChange,
  TimerTarget,
} from '../../../timer/model/timer-changes.ts';
import type {
  FireWork,
  OverdueQuery,
  SavedTimer,
  TimerCommand,
  TimerDeferral,
  TimerStore,
  TimersAt,
  TimerUpdate,
  Tx,
} from '../../../timer/model/timer-store.ts';
import { type Database, NOW } from '../database.ts';
import { lend } from '../lend.ts';
import { BEGIN, withTransaction } from '../transaction.ts';
import { isContention, isKeyTaken, isWorldFault } from '../world-fault.ts';
import { type ChangeColumns, changesInWaves, isOneChangeWave } from './change-waves.ts';
import { fireTransaction } from './fire-transaction.ts';
import { once } from './once.ts';
import { renewedColumns, updateColumns } from './save-sql.ts';
import { isOneScheduleWave, scheduleColumns, scheduleTimers } from './schedule-timers.ts';
import { PostgresThingRows } from './thing-rows.ts';
import { manyColumns } from './timer-change-sql.ts';
import {
  columnsOf,
  indexEntryOf,
  lastNowMs,
  type NewRow,
  type SavedRow,
  savedOf,
  type TimerRow,
  timersAt,
} from './timer-row.ts';
import { changeByOwner, committedInOrder, findTimers, TimerStatements, timersByKey } from './timer-statements.ts';

/** Smaller than every row. */
const FIRST: PageCursor = { fireAtMs: -LATEST_MS, timerId: '0' };

/** `at` is the place in the order: things of a home on hold are tried later than they are due. */
type OverdueRow = TimerRow & {
  readonly at: string | number;
  readonly is_wanted: boolean;
  readonly place: number;
};

/** The timer rows in Postgres (`TimerStore`). Statements are prepared once a connection. */
export class PostgresTimerStore extends PostgresThingRows implements TimerStore {
  readonly #database: Database;
  readonly #statements: TimerStatements;

  constructor(database: Database) {
    const statements = new TimerStatements(database);
    super(statements);
    this.#database = database;
    this.#statements = statements;
  }

  transaction<T>(work: (tx: Tx, nowMs: number) => Promise<T>): Promise<T> {
    const trusted = this.#database.time.reading();
    const begin = (client: Tx, begun: unknown): Promise<T> => {
      const nowMs = trusted(this.#database.ownMs() ?? lastNowMs(begun));
      return lend(client, (tx) => work(tx, nowMs), { of: 'caller' }) as Promise<T>;
    };
    return withTransaction(this.#database.pool, begin, `${BEGIN}; ${NOW}`);
  }

  isWorldFault(error: unknown): boolean {
    return isWorldFault(error);
  }

  isContention(error: unknown): boolean {
    return isContention(error);
  }

  nowMs(tx?: Tx): Promise<number> {
    return this.#database.now(tx);
  }

  schedule(timers: readonly ScheduleRequest[], tx?: Tx): Promise<readonly (ScheduleOutcome | undefined)[]> {
    if (!tx && !isOneScheduleWave(timers)) {
      const moved = timers.filter(({ orMove }) => orMove);
      return committedInOrder(this.#statements, moved, (client) => this.schedule(timers, client));
    }
    const valuesOf = (wanted: readonly NewTimer[]) => [...scheduleColumns(wanted), this.#database.datedMs()];
    return scheduleTimers(timers, {
      mayGoOn: tx !== undefined || timers.length === 1,
      add: (wanted) => this.#statements.rows<NewRow>(tx ? 'schedule' : 'scheduleFree', valuesOf(wanted), tx),
      addOrMove: (wanted) => this.#statements.locking('scheduleOrMove', valuesOf(wanted), tx),
      find: (keys) => timersByKey(this.#statements, keys, tx),
    });
  }

  change(changes: readonly TimerChange[], tx?: Tx): Promise<readonly (ChangeOutcome | undefined)[]> {
    if (!tx && !isOneChangeWave(changes)) {
      const targets = changes.map(({ target }) => target);
      return committedInOrder(this.#statements, targets, (client) => this.change(changes, client));
    }
    const datedMs = () => this.#database.datedMs();
    const run = (
      statement: 'changeById' | 'changeByKey',
      targets: readonly unknown[],
      { names, values, results }: ChangeColumns,
    ): Promise<Timer[]> => this.#statements.locking(statement, [...targets, names, values, datedMs(), results], tx);
    return changesInWaves(changes, {
      mayGoOn: tx !== undefined || changes.length === 1,
      byId: (ids, columns) => run('changeById', [ids], columns),
      byKey: (keys, columns) => run('changeByKey', columnsOf(keys), columns),
      find: (targets) => findTimers(this.#statements, targets, tx),
      revive: (seen) => {
        const values = [seen.map(({ id }) => id), seen.map(({ revision }) => revision), datedMs()];
        const revive = () => this.#statements.locking('revive', values, tx);
        // Another transaction took a key while the statement waited for it. A caller's transaction is lost.
        return revive().catch((error: unknown) => (tx || !isKeyTaken(error) ? Promise.reject(error) : revive()));
      },
    });
  }

  async changeByOwner(change: OwnersChange, exceptIds: readonly string[], tx?: Tx): Promise<readonly Timer[]> {
    return changeByOwner(this.#statements, change, exceptIds, tx);
  }

  async changeByKind(change: KindsChange, exceptIds: readonly string[], tx?: Tx): Promise<readonly Timer[]> {
    const values = manyColumns(change, exceptIds, this.#database.datedMs());
    return this.#statements.locking('changeByKind', [change.kinds, ...values, change.afterId, change.limit], tx);
  }

  /** Inserts the command before `work`: another caller with the same command waits, and gets the result. */
  once<T>(command: TimerCommand, work: () => Promise<T>, tx: Tx): Promise<T | undefined> {
    return once({ statements: this.#statements, tx, datedMs: this.#database.datedMs() }, command, work);
  }

  async pruneCommands(beforeMs: number, limit: number): Promise<number> {
    return (await this.#statements.run('pruneCommands', [beforeMs, limit])).rowCount ?? 0;
  }

  async read(refs: readonly TimerRef[]): Promise<TimersAt> {
    const things = refs.filter(({ timerId }) => isOfThing(timerId));
    const own = refs.filter(({ timerId }) => !isOfThing(timerId));
    const ownMs = this.#database.ownMs();
    const columns = [things.map(({ owner }) => owner), things.map(({ timerId }) => timerId)];
    const found = await Promise.all([
      ...(own.length > 0 || things.length === 0
        ? [this.#statements.timersAt('read', [own.map(({ timerId }) => timerId), ownMs])]
        : []),
      ...(things.length > 0 ? [this.#statements.timersAt('readThings', [...columns, ownMs])] : []),
    ]);
    return {
      timers: found.flatMap(({ timers }) => timers),
      nowMs: Math.max(...found.map(({ nowMs }) => nowMs)),
    };
  }

  fire(seen: readonly Timer[], work: FireWork): Promise<TimersAt> {
    return fireTransaction(this.#database.pool, {
      lock: (tx) => this.#statements.unchanged('lock', seen, tx),
      work,
      save: (updates, tx) =>
        this.#save(updates, (statement, values) => this.#statements.lockingRows(statement, values, tx)),
    });
  }

  async defer(deferrals: readonly TimerDeferral[]): Promise<TimersAt> {
    const columns = [
      deferrals.map(({ timerId }) => timerId),
      deferrals.map(({ revision }) => revision),
      deferrals.map(({ byMs }) => byMs),
      deferrals.map(({ claims }) => claims),
    ];
    const datedMs = this.#database.datedMs();
    const trusted = this.#database.time.reading();
    const { timers, nowMs } = timersAt(await this.#statements.rows('defer', [...columns, datedMs]));
    // The guard must not get held time: it says nothing of the database's clock, and would end the hold.
    return { timers, nowMs: datedMs ?? trusted(nowMs) };
  }

  save(updates: readonly TimerUpdate[]): Promise<readonly SavedTimer[]> {
    return this.#save(updates, (statement, values) => this.#statements.rows(`${statement}Free`, values));
  }

  async #save(
    updates: readonly TimerUpdate[],
    run: (statement: 'save' | 'saveRenewed', values: readonly unknown[]) => Promise<readonly SavedRow[]>,
  ): Promise<readonly SavedTimer[]> {
    if (updates.length === 0) return [];
    const renewed = renewedColumns(updates);
    const values = [...updateColumns(updates), ...renewed, this.#database.datedMs()];
    return (await run(renewed.length > 0 ? 'saveRenewed' : 'save', values)).map(savedOf);
  }

  find(targets: readonly TimerTarget[]): Promise<readonly (Timer | undefined)[]> {
    return findTimers(this.#statements, targets);
  }

  async listByOwners(owners: readonly string[]): Promise<readonly Timer[]> {
    return this.#statements.timers('listByOwners', [owners]);
  }

  async listDead(kinds: readonly string[], limit: number): Promise<readonly Timer[]> {
    return this.#statements.timers('listDead', [kinds, limit]);
  }

  async overdue({ kinds, after, beforeMs, limit }: OverdueQuery): Promise<RowPage> {
    const { fireAtMs, timerId } = after ?? FIRST;
    const rows = await this.#statements.rows<OverdueRow>('overdue', [kinds, fireAtMs, timerId, beforeMs, limit]);
    const last = rows.at(-1);
    return {
      entries: rows.filter((row) => row.is_wanted).map(indexEntryOf),
      next: last?.place === limit ? { fireAtMs: Number(last.at), timerId: String(last.id) } : undefined,
    };
  }

  async page(after: PageCursor | undefined, limit: number): Promise<RowPage> {
    const from = after ?? FIRST;
    const rows = await this.#statements.rows<TimerRow>('page', [from.fireAtMs, from.timerId, limit]);
    const entries = rows.map(indexEntryOf);
    return { entries, next: entries.length < limit ? undefined : entries.at(-1) };
  }

  async prune({ fromMs, beforeMs, kinds, isOfOthers, limit, most }: PruneQuery): Promise<Pruned> {
    const values = [fromMs, beforeMs, kinds, isOfOthers, limit, most];
    const [row] = await this.#statements.rows<{ read_to: string; count: string }>('prune', values);
    return { count: Number(row?.count), readToMs: Number(row?.read_to) };
  }

  async pruneDead(beforeMs: number, limit: number): Promise<number> {
    return (await this.#statements.run('pruneDead', [beforeMs, limit])).rowCount ?? 0;
  }
}
