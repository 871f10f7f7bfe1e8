import type { QueryResult } from 'pg';
import { isOfThing, type Timer } from '../../../timer/model/timer.ts';
import type { OwnersChange, TimerTarget } from '../../../timer/model/timer-changes.ts';
import { Locked } from '../../../timer/model/timer-errors.ts';
import type { TimersAt, Tx } from '../../../timer/model/timer-store.ts';
import type { Database, Statements } from '../database.ts';
import { withTransaction } from '../transaction.ts';
import { isLockMissed, isWaitOver } from '../world-fault.ts';
import { manyColumns } from './timer-change-sql.ts';
import { byKey, columnsOf, keyOf, type TimerKey, type TimerRow, timerOf, timersAt, timersIn } from './timer-row.ts';
import { type LockingStatement, type TimerStatement, timerSql } from './timer-sql.ts';

/** Runs the statements of the timer rows. */
export class TimerStatements {
  readonly database: Database;
  readonly #sql: Statements<TimerStatement>;

  constructor(database: Database) {
    this.database = database;
    this.#sql = database.statements('timer', timerSql(database.schema));
  }

  async timersAt(statement: TimerStatement, values: readonly unknown[], tx?: Tx): Promise<TimersAt> {
    const trusted = this.database.time.reading();
    const { timers, nowMs } = timersAt(await this.rows(statement, values, tx));
    return { timers, nowMs: trusted(nowMs) };
  }

  /** The unchanged ones of these timers: the statement returns their ids. */
  async unchanged(statement: 'lock' | 'stillDue', seen: readonly Timer[], tx?: Tx): Promise<TimersAt> {
    const trusted = this.database.time.reading();
    const owners = statement === 'lock' ? [] : [seen.map(({ owner }) => owner)];
    const columns = [...owners, seen.map(({ id }) => id), seen.map(({ revision }) => revision), this.database.ownMs()];
    const rows = await this.rows<{ id: string | number | null; now_ms: string }>(statement, columns, tx);
    const timers = timersIn(
      seen,
      rows.flatMap(({ id }) => id ?? []),
    );
    return { timers, nowMs: trusted(Number(rows[0]?.now_ms)) };
  }

  /**
   * Waits for no row if `tx` is a handler's. Without `tx` it waits in a transaction that bounds the wait: on a host's
   * pool a statement alone would wait for a lock without an end.
   */
  async locking(statement: LockingStatement, values: readonly unknown[], tx: Tx | undefined): Promise<Timer[]> {
    return (await this.lockingRows<TimerRow>(statement, values, tx)).map(timerOf);
  }

  async lockingRows<R>(
    statement: LockingStatement,
    values: readonly unknown[],
    tx: Tx | undefined,
  ): Promise<readonly R[]> {
    if (tx && tx.waitsForLocks !== false) return this.rows<R>(statement, values, tx);
    try {
      return await this.rows<R>(`${statement}Free`, values, tx);
    } catch (error) {
      if (!isLockMissed(error)) throw error;
      if (tx) throw new Locked('a timer is locked by another transaction', error);
      // For a key that another transaction has: `nowait` concerns only rows.
      if (isWaitOver(error)) throw error;
      return withTransaction(this.database.pool, (client) => this.rows<R>(statement, values, client));
    }
  }

  async timers(statement: TimerStatement, values: readonly unknown[], tx?: Tx): Promise<Timer[]> {
    return (await this.rows<TimerRow>(statement, values, tx)).map(timerOf);
  }

  rows<R>(statement: TimerStatement, values: readonly unknown[], tx?: Tx): Promise<readonly R[]> {
    return this.#sql.rows<R>(statement, values, tx);
  }

  run(statement: TimerStatement, values: readonly unknown[], tx?: Tx): Promise<QueryResult> {
    return this.#sql.run(statement, values, tx);
  }
}

/**
 * Several statements commit together: the calls of a failed batch run again, and must find nothing done. All rows are
 * locked first, in one order: statements that each lock some of them could deadlock with another batch.
 */
export const committedInOrder = <T>(
  statements: TimerStatements,
  targets: readonly TimerTarget[],
  work: (client: Tx) => Promise<T>,
): Promise<T> =>
  withTransaction(statements.database.pool, async (client) => {
    const ids = targets.flatMap((target) => ('timerId' in target ? target.timerId : []));
    const keys = targets.flatMap((target) => ('timerId' in target ? [] : target));
    await statements.run('lockTargets', [ids, ...columnsOf(keys)], client);
    return work(client);
  });

/**
 * A statement that waits for a handler does not see what the handler schedules: the second statement does. Both are sent
 * at once, so that a timer which the same transaction schedules behind a call without a key is none of them. In a
 * handler's transaction one statement is enough: it waits for no lock, and throws `Locked`.
 */
export const changeByOwner = (
  statements: TimerStatements,
  { owners, kinds, ...change }: OwnersChange,
  exceptIds: readonly string[],
  tx: Tx | undefined,
): Promise<readonly Timer[]> => {
  const { database } = statements;
  const many = manyColumns(change, exceptIds, database.datedMs());
  const [datedMs, , name, value] = many;
  const first = (client: Tx): Promise<readonly Timer[]> =>
    statements.locking('changeByOwner', [owners, ...many, kinds ?? null], client);
  if (tx?.waitsForLocks === false) return first(tx);
  const looks = async (client: Tx): Promise<readonly Timer[]> => {
    const [changed, present] = await Promise.all([
      first(client),
      statements.rows<{ readonly id: string | number }>('scheduledOf', [owners, kinds ?? null], client),
    ]);
    const known = new Set([...exceptIds, ...changed.map(({ id }) => id)]);
    const ids = present.flatMap(({ id }) => (known.has(String(id)) ? [] : String(id)));
    if (ids.length === 0) return changed;
    const columns = [ids, ids.map(() => name), ids.map(() => value), datedMs, ids.map(() => null)];
    return [...changed, ...(await statements.locking('changeById', columns, client))];
  };
  return tx ? looks(tx) : withTransaction(database.pool, looks);
};

/** By key: the scheduled timer, else the last one that completed or died. */
export const findTimers = async (
  statements: TimerStatements,
  targets: readonly TimerTarget[],
  tx?: Tx,
): Promise<readonly (Timer | undefined)[]> => {
  const ids = targets.flatMap((target) => ('timerId' in target ? target.timerId : []));
  const own = await found(statements, 'findById', { ids: ids.filter((id) => !isOfThing(id)), tx });
  const ofThings = await found(statements, 'findThings', { ids: ids.filter(isOfThing), tx });
  const byId = new Map([...own, ...ofThings].map((timer) => [timer.id, timer]));
  const keys = targets.flatMap((target) => ('timerId' in target ? [] : target));
  const present = await timersByKey(statements, keys, tx);
  return targets.map((target) => ('timerId' in target ? byId.get(target.timerId) : present.get(keyOf(target))));
};

const found = async (
  statements: TimerStatements,
  statement: 'findById' | 'findThings',
  { ids, tx }: { readonly ids: readonly string[]; readonly tx: Tx | undefined },
): Promise<readonly Timer[]> => (ids.length === 0 ? [] : statements.timers(statement, [ids], tx));

export const timersByKey = async (
  statements: TimerStatements,
  keys: readonly TimerKey[],
  tx: Tx | undefined,
): Promise<Map<string, Timer>> =>
  keys.length === 0 ? new Map() : byKey(await statements.timers('findByKey', columnsOf(keys), tx));
