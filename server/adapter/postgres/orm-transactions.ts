import type { Sql } from '../../../shared/host-rows.ts';
import { readOptions } from '../../../shared/options/read-options.ts';
import { fields, having } from '../../../shared/options/shapes.ts';

/** A transaction of Drizzle on any driver, as `db.transaction` passes it. */
export type DrizzleTransaction = { execute(query: never): PromiseLike<unknown> };

/** The used part of `sql` of `drizzle-orm`. */
export type DrizzleSql = {
  raw(text: string): unknown;
  param(value: unknown): unknown;
  join(chunks: never[]): unknown;
};

/** A transaction of Prisma, as `prisma.$transaction` passes it. */
export type PrismaTransaction = { $queryRawUnsafe(text: string, ...values: unknown[]): PromiseLike<unknown> };

/** An open transaction of Drizzle as `tx`; `sql` is Drizzle's own. Statements have no prepared names. Throws `OptionsRefused`. */
export const fromDrizzle = (tx: DrizzleTransaction, sql: DrizzleSql): Sql => {
  readOptions(ormArguments.fromDrizzle, { tx, sql }, 'fromDrizzle');
  return sqlOf(tx, (text, values) => {
    const chunks = text
      .split(/\$(\d+)/)
      .map((piece, at) => (at % 2 === 0 ? sql.raw(piece) : sql.param(values[Number(piece) - 1])));
    return tx.execute(sql.join(chunks as never[]) as never);
  });
};

/**
 * An open transaction of Prisma as `tx`. Statements have no prepared names; `rowCount` is null if no row is returned.
 * Throws `OptionsRefused`.
 */
export const fromPrisma = (tx: PrismaTransaction): Sql => {
  readOptions(ormArguments.fromPrisma, { tx }, 'fromPrisma');
  return sqlOf(tx, (text, values) => tx.$queryRawUnsafe(text, ...values));
};

/** One for each transaction: calls in it run one after another. */
const known = new WeakMap<object, Sql>();

/** Drivers return the rows, perhaps with a count, or an object like that of `pg`. */
const sqlOf = (tx: object, run: (text: string, values: readonly unknown[]) => PromiseLike<unknown>): Sql => {
  const query = async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    const returned = (await run(text, values)) as Row[] & { rows?: Row[]; rowCount?: number; count?: number };
    const rows = returned.rows ?? [...returned];
    return { rows, rowCount: returned.rowCount ?? returned.count ?? (rows.length || null) };
  };
  const sql = known.get(tx) ?? { query };
  known.set(tx, sql);
  return sql;
};

export const ormArguments = {
  fromDrizzle: fields({ tx: having<DrizzleTransaction>('execute'), sql: having<DrizzleSql>('raw', 'param', 'join') }),
  fromPrisma: fields({ tx: having<PrismaTransaction>('$queryRawUnsafe') }),
};
