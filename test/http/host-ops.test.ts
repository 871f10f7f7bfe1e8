// The operators' page and API where a game puts them: `addOpsApi` of the entry `/ops`, on an Express of the game's own.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import express from 'express';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { buildPage } from '../../build/build-page.ts';
import { createKibble, type Kibble, silent } from '../../server/kibble.ts';
import { addOpsApi, type OpsApiOptions } from '../../server/operators.ts';
import { addressOf } from '../../server/reference/bounded-http.ts';
import { runKibble } from '../support/game/kibble-command.ts';
import { migratedDatabase } from '../support/postgres/home-database.ts';
import type { TestDatabase } from '../support/postgres/postgres-server.ts';

const TOKEN = 'Zx81kQmW4vTn7LrB2yHcD5sJ';
let database: TestDatabase;
let pool: Pool;
let kibble: Kibble;
const servers: Server[] = [];

const serve = async (options: Partial<OpsApiOptions> = {}): Promise<string> => {
  const app = express();
  app.get('/', (_request, response) => void response.send('the game'));
  addOpsApi(app, { ops: kibble.ops, operators: [{ name: 'ada', role: 'admin', token: TOKEN }], ...options });
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return addressOf(server, '127.0.0.1');
};

beforeAll(async () => {
  await buildPage('ops');
  database = await migratedDatabase(inject('postgresUrl'));
  pool = new Pool({ connectionString: database.url, max: 6 });
  kibble = createKibble({ pool, playerId: ({ sub }) => sub, log: silent });
  await kibble.lifecycle.boot();
}, 60_000);

afterAll(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await kibble.lifecycle.shutdown();
  await pool.end();
  await database.drop();
});

/** Every file that the page names, from where a browser would ask for it. */
const filesOf = async (page: Response): Promise<readonly string[]> => {
  const html = await page.text();
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => new URL(file, page.url).href);
};

it.each([
  ['/ops', {}],
  ['/admin/kibble', { path: '/admin/kibble' }],
])('serves the page and what it needs below %s, with and without the last slash', async (at, options) => {
  const address = await serve(options);
  for (const entered of [`${address}${at}`, `${address}${at}/`]) {
    const page = await fetch(entered);
    expect(page.status).toBe(200);
    expect(page.url).toBe(`${address}${at}/`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const files = await filesOf(page);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      expect(file.startsWith(`${address}${at}/`)).toBe(true);
      expect((await fetch(file)).status).toBe(200);
    }
    // As the page's own script asks.
    const authorization = `Bearer ${TOKEN}`;
    const me = await fetch(new URL('api/me', page.url), { headers: { authorization } });
    expect(await me.json()).toEqual({ name: 'ada', role: 'admin', hasDevTools: false });
    expect((await fetch(new URL('api/me', page.url))).status).toBe(401);
  }
  expect(await (await fetch(address)).text()).toBe('the game');
});

it('answers the command kibble, which is told where the page is', { timeout: 60_000 }, async () => {
  const [standard, own] = [await serve(), `${await serve({ path: '/admin/kibble' })}/admin/kibble`];
  const env = { KIBBLE_TOKEN: TOKEN };
  for (const url of [standard, `${standard}/`, own, `${own}/`]) {
    const { code, out } = await runKibble(['timers', 'ls', '--json'], { ...env, KIBBLE_URL: url });
    expect({ code, answer: JSON.parse(out) }).toMatchObject({ code: 0, answer: { timers: [] } });
  }
  const { code, err } = await runKibble(['timers', 'ls', '--url', new URL(own).origin], env);
  expect(code).toBe(1);
  expect(err).toMatch(/\/ops is no Kibble server .*--url takes the address of the operators’ page/);
});

it('refuses a token that can be guessed', async () => {
  const operators = [{ name: 'ada', role: 'admin' as const, token: 'short' }];
  await expect(serve({ operators })).rejects.toThrow('operators[0].token is no token, or too short');
});
