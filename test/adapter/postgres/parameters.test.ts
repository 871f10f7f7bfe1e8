import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { parametersOf } from '../../../server/adapter/postgres/parameters.ts';

let client: Client;

beforeAll(async () => {
  client = new Client({ connectionString: inject('postgresUrl') });
  await client.connect();
});

afterAll(() => client.end());

/** What Postgres refuses wherever it stands: the character 0. */
const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));

it('Postgres reads every text, number and boolean that an array may have, as pg itself would write it', async () => {
  const arrays = fc.tuple(
    fc.array(fc.option(fc.oneof(text, fc.constantFrom('', 'NULL', 'null', '{}', ',', '"', '\\', '{"a":"\\""}')))),
    fc.array(fc.option(fc.maxSafeInteger())),
    fc.array(fc.option(fc.boolean())),
  );
  await fc.assert(
    fc.asyncProperty(arrays, async (values) => {
      const ask =
        'select to_jsonb($1::text[]) as texts, to_jsonb($2::bigint[]) as numbers, to_jsonb($3::bool[]) as flags';
      const { rows } = await client.query(ask, parametersOf(values));
      const [texts, numbers, flags] = values;
      expect(rows).toEqual([{ texts, numbers, flags }]);
    }),
    { numRuns: 500 },
  );
});

it('leaves what is no array as it is, and takes undefined for null', async () => {
  const { rows } = await client.query('select $1::text as one, $2::text as none, $3::text[] as some', [
    ...parametersOf(['{}', null, [undefined, 'x']]),
  ]);
  expect(rows).toEqual([{ one: '{}', none: null, some: [null, 'x'] }]);
});
