// docs/adopting.md says how one role owns Kibble's schema and another one serves: its SQL, as it stands there.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Pool } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { Database } from '../../server/adapter/postgres/database.ts';
import { beginEpoch } from '../../server/adapter/postgres/schema/epoch.ts';
import { createKibble, silent } from '../../server/kibble.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/adopting.md'), 'utf8');
const grants = /```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
const order = { playerId: 'ann', commandId: 'a-command', items: { snack: 1 }, reason: 'gift' };

it('a role that owns nothing serves on the tables that another one has made', async () => {
  const database = await createDatabase(inject('postgresUrl'));
  const admin = new Pool({ connectionString: database.url });
  const suffix = randomBytes(4).toString('hex');
  const [owner, game] = [`owner_${suffix}`, `game_${suffix}`];
  const pools: Pool[] = [];
  const kibbleAs = (role: string) => {
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'a-password'];
    const pool = new Pool({ connectionString: url.href, max: 5 });
    pools.push(pool);
    return createKibble({ pool, playerId: ({ sub }) => sub, log: silent });
  };
  onTestFinished(async () => {
    for (const pool of [...pools, admin]) await pool.end();
    await database.drop();
    const server = new Pool({ connectionString: inject('postgresUrl') });
    await server.query(`drop role ${owner}, ${game}`);
    await server.end();
  });
  await admin.query(`create role ${owner} login password 'a-password'; create role ${game} login password 'a-password';
    create schema kibble authorization ${owner}`);

  const early = kibbleAs(game);
  await expect(early.lifecycle.boot()).rejects.toMatchObject({ code: 'database/no-right' });
  const first = kibbleAs(owner);
  await first.lifecycle.boot();
  await first.lifecycle.shutdown();
  await admin.query(grants.replaceAll(/\bto game\b/g, `to ${game}`).replaceAll(/\brole owner\b/g, `role ${owner}`));

  const serving = kibbleAs(game);
  await serving.lifecycle.boot();
  expect(await serving.homes.grant([order])).toMatchObject([{ ok: true }]);
  expect((await serving.homes.look(['ann']))[0]?.home.items).toMatchObject({ snack: expect.any(Number) });
  await serving.lifecycle.shutdown();
  const [, , pool] = pools;
  expect(await beginEpoch(new Database({ pool: pool as Pool, schema: 'kibble' }))).toMatch(/^[0-9a-f-]{36}$/);
});
