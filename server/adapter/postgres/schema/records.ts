import type { PoolClient } from 'pg';
import { DataSource, type EntityManager, QueryFailedError, type QueryRunner } from 'typeorm';
import type { Tx } from '../../../timer/model/timer-store.ts';
import type { Database } from '../database.ts';
import { withTransaction } from '../transaction.ts';
import { borrowedPool, ormClient } from './borrowed-pool.ts';
import { entities } from './data-source.ts';

/**
 * Reads of entities, for rare reads: `read((manager) => manager.find(auditEntity, ...))`. Frequent reads, locks and
 * writes are SQL in the stores (ADR 78).
 *
 * TypeORM works on a connection of ours, inside a transaction with our limits, and never takes one itself. Errors of
 * `pg` are thrown unchanged.
 */
export class Records {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reads in a short transaction, or in `tx`; `tx` decides whether that is one snapshot. */
  read<Value>(work: (manager: EntityManager) => Promise<Value>, tx?: Tx): Promise<Value> {
    return tx
      ? this.#readOn(tx as PoolClient, work)
      : withTransaction(this.#database.pool, (own) => this.#readOn(own, work));
  }

  async #readOn<Value>(client: PoolClient, work: (manager: EntityManager) => Promise<Value>): Promise<Value> {
    try {
      const runner = (await this.#source(client)).createQueryRunner();
      bind(runner, client);
      return await work(runner.manager);
    } catch (error) {
      throw error instanceof QueryFailedError ? error.driverError : error;
    }
  }

  #source(client: PoolClient): Promise<DataSource> {
    const known = sources.get(this.#database);
    if (known) return known;
    const source = initialized(client, this.#database.schema);
    sources.set(this.#database, source);
    source.catch(() => sources.delete(this.#database));
    return source;
  }
}

/** TypeORM needs some tens of milliseconds to read the entities' descriptions: once for each database. */
const sources = new WeakMap<Database, Promise<DataSource>>();

/** Reads Postgres' version on the given client, so a pool of one connection suffices. */
const initialized = (client: PoolClient, schema: string): Promise<DataSource> => {
  let lent: ReturnType<typeof ormClient> | undefined = ormClient(client);
  const Pool = borrowedPool((connected) => connected(undefined, lent, () => undefined));
  const source = new DataSource({ type: 'postgres', driver: { Pool }, schema, entities, installExtensions: false });
  return source.initialize().finally(() => {
    lent = undefined;
  });
};

/** Gives the runner this connection; otherwise it takes its own from the pool. TypeORM has no call for it. */
const bind = (runner: QueryRunner, client: PoolClient): void => {
  Object.assign(runner, { databaseConnection: ormClient(client) });
};
