import type { Pool } from 'pg';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresVerifyStore } from '../../../server/adapter/postgres/ops/verify-store.ts';
import { type HomeDifference, verify } from '../../../server/ops/offline/verify.ts';
import { petsModules } from '../../../testing/pets-engine.ts';

/** Where the rows of a database of pets differ from its log. */
export const differencesIn = async (pool: Pool): Promise<readonly HomeDifference[]> => {
  const found: HomeDifference[] = [];
  await verify({
    modules: petsModules(),
    store: new PostgresVerifyStore({ database: new Database({ pool, schema: 'kibble' }), modules: petsModules() }),
    checksItems: true,
    signal: new AbortController().signal,
    onDifference: (difference) => found.push(difference),
    onProgress: () => undefined,
  });
  return found;
};
