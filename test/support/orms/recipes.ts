// The recipes of docs/transactions.md, to the letter: a test compares them.

import type { Knex } from 'knex';
import { CompiledQuery, type Transaction } from 'kysely';
import type { Sql } from '../../../shared/host-rows.ts';

export const fromKysely = (trx: Pick<Transaction<unknown>, 'executeQuery'>): Sql => ({
  query: async (text, values = []) => {
    const { rows, numAffectedRows } = await trx.executeQuery<never>(CompiledQuery.raw(text, values));
    return { rows, rowCount: Number(numAffectedRows ?? rows.length) };
  },
});

export const fromKnex = (trx: Knex.Transaction): Sql => ({
  query: async (text, values = []) => {
    const bindings = [...text.matchAll(/\$(\d+)/g)].map(([, place]) => values[Number(place) - 1]);
    return trx.raw(text.replaceAll('?', '\\?').replaceAll(/\$\d+/g, '?'), bindings as never);
  },
});
