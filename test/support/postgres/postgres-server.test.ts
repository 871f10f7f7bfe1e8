import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { createDatabase } from './postgres-server.ts';

it('gives every caller an empty database of its own', async () => {
  const [first, second] = await Promise.all([
    createDatabase(inject('postgresUrl')),
    createDatabase(inject('postgresUrl')),
  ]);
  await query(first.url, 'create table only_here ()');

  const { rows } = await query(second.url, `select to_regclass('only_here') as found`);

  expect(rows).toEqual([{ found: null }]);
  await Promise.all([first.drop(), second.drop()]);
});

const query = async (connectionString: string, statement: string) => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
};
