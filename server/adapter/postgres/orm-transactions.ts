import type { Sql } from '../../../shared/host-rows.ts';
import { readOptions } from '../../../shared/options/read-options.ts';
import { fields, having } from '../../../shared/options/shapes.ts';

/** A transaction of Drizzle, on whatever driver: what `db.transaction` gives. */
export interface DrizzleTransaction {
  execute(query: never): PromiseLike<unknown>;
}

/** What is used of `sql` of `drizzle-orm`. */
export interface DrizzleSql {
  raw(text: string): unknown;
  param(value: unknown): unknown;
  join(chunks: never[]): unknown;
}

/** A transaction of Prisma: what `prisma.$transaction` gives to its function. */
export interface PrismaTransaction {
  $queryRawUnsafe(text: string, ...values: unknown[]): PromiseLike<unknown>;
}

/**
 * An open transaction of Drizzle as `tx`. `sql` is Drizzle's own. Statements have no prepared names there. Throws `OptionsRefused` for
 * what is not of Drizzle.
 */
export const fromDrizzle = (tx: DrizzleTransaction, sql: DrizzleSql): Sql => {
  readOptions(ormArguments.fromDrizzle, { tx, sql }, 'fromDrizzle');
  const chunk = (piece: string, at: number, values: readonly unknown[]): unknown =>
    at % 2 === 0 ? sql.raw(piece) : sql.param(values[Number(piece) - 1]);
  return sqlOf((text, values) => {
    const chunks = text.split(/\$(\d+)/).map((piece, at) => chunk(piece, at, values));
    return tx.execute(sql.join(chunks as never[]) as never);
  });
};

/**
 * An open transaction of Prisma as `tx`. Statements have no prepared names there, and `rowCount` is null where no row is
 * returned. Throws `OptionsRefused` for what is not of Prisma.
 */
export const fromPrisma = (tx: PrismaTransaction): Sql => {
  readOptions(ormArguments.fromPrisma, { tx }, 'fromPrisma');
  return sqlOf((text, values) => tx.$queryRawUnsafe(text, ...values));
};

/** What drivers return: the rows themselves, perhaps with a count; or an object as `pg` has it. */
type Returned = readonly object[] | { readonly rows: readonly object[] };

const sqlOf = (run: (text: string, values: readonly unknown[]) => PromiseLike<unknown>): Sql => ({
  query: async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    const returned = (await run(text, values)) as Returned & { readonly rowCount?: number; readonly count?: number };
    const rows = [...('rows' in returned ? returned.rows : returned)] as Row[];
    return { rows, rowCount: returned.rowCount ?? returned.count ?? (rows.length || null) };
  },
});

export const ormArguments = {
  fromDrizzle: fields({
    tx: having<DrizzleTransaction>('execute'),
    sql: having<DrizzleSql>('raw', 'param', 'join'),
  }),
  fromPrisma: fields({ tx: having<PrismaTransaction>('$queryRawUnsafe') }),
};
