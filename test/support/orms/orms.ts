import { sql } from 'drizzle-orm';
import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js';
import knex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import { fromDrizzle, fromPrisma } from '../../../server/adapter/postgres/orm-transactions.ts';
import type { Sql } from '../../../shared/host-rows.ts';
import { prismaClient } from './prisma-client.ts';
import { fromKnex, fromKysely } from './recipes.ts';

/** Writes a row of the table `gold` by the ORM's own functions. */
type Pay = (owner: string, amount: number) => PromiseLike<unknown>;

/** An ORM on a database. */
export interface Orm {
  /** Commits when `work` returns; rolls back and rethrows when it throws. */
  transaction<Result>(work: (tx: Sql, pay: Pay) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const gold = pgTable('gold', { owner: text().primaryKey(), amount: bigint({ mode: 'number' }).notNull() });

/** The argument of Drizzle's `db.transaction`, on any driver. */
type DrizzleTx = Parameters<Parameters<ReturnType<typeof drizzleOnPg>['transaction']>[0]>[0];

const inDrizzle =
  <Result>(work: (tx: Sql, pay: Pay) => Promise<Result>) =>
  (tx: Pick<DrizzleTx, 'execute' | 'insert'>) =>
    work(fromDrizzle(tx, sql), (owner, amount) => tx.insert(gold).values({ owner, amount }));

const poolOn = (connectionString: string): Pool => new Pool({ connectionString, max: 2 });

/** By its name: the ORM, opened on the database of this URL. */
export const orms: Readonly<Record<string, (url: string) => Orm | Promise<Orm>>> = {
  'Drizzle on pg': (url) => {
    const pool = poolOn(url);
    const db = drizzleOnPg(pool);
    return { transaction: (work) => db.transaction(inDrizzle(work)), close: () => pool.end() };
  },

  'Drizzle on postgres.js': (url) => {
    const client = postgres(url, { max: 2 });
    const db = drizzleOnPostgresJs(client);
    return { transaction: (work) => db.transaction((tx) => inDrizzle(work)(tx as never)), close: () => client.end() };
  },

  Prisma: (url) => {
    const prisma = prismaClient(url);
    return {
      transaction: (work) =>
        prisma.$transaction((tx) =>
          work(fromPrisma(tx), (owner, amount) => tx.gold.create({ data: { owner, amount } })),
        ),
      close: () => prisma.$disconnect(),
    };
  },

  Kysely: (url) => {
    const db = new Kysely<{ gold: { owner: string; amount: number } }>({
      dialect: new PostgresDialect({ pool: poolOn(url) }),
    });
    return {
      transaction: (work) =>
        db
          .transaction()
          .execute((trx) =>
            work(fromKysely(trx), (owner, amount) => trx.insertInto('gold').values({ owner, amount }).execute()),
          ),
      close: () => db.destroy(),
    };
  },

  Knex: (url) => {
    const db = knex({ client: 'pg', connection: url, pool: { max: 2 } });
    return {
      transaction: (work) =>
        db.transaction((trx) => work(fromKnex(trx), (owner, amount) => trx('gold').insert({ owner, amount }))),
      close: () => db.destroy(),
    };
  },

  TypeORM: async (url) => {
    const dataSource = await new DataSource({ type: 'postgres', url, poolSize: 2 }).initialize();
    return {
      transaction: (work) =>
        dataSource.transaction(async (manager) =>
          work((await manager.queryRunner?.connect()) as Sql, (owner, amount) =>
            manager.query('insert into gold values ($1, $2)', [owner, amount]),
          ),
        ),
      close: () => dataSource.destroy(),
    };
  },
};
