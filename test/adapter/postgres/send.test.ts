import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { watchDeadlines } from '../../../server/adapter/postgres/deadline.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { send } from '../../../server/adapter/postgres/send.ts';
import { isConnectionFault } from '../../../server/adapter/postgres/world-fault.ts';
import { silentLog } from '../../support/log/silent-log.ts';
import { silentNetwork } from '../../support/machine/silent-network.ts';
import { createDatabase, type Database } from '../../support/postgres/postgres-server.ts';

let database: Database;
let pool: Pool;

beforeAll(async () => {
  database = await createDatabase(inject('postgresUrl'));
  pool = createPool({ url: database.url, max: 2, log: silentLog });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('returns what a pool, a connection and a host’s own object say, in each form of a statement', async () => {
  const client = await pool.connect();
  onTestFinished(() => client.release());
  const hosts = { query: (text: string, values: unknown[]) => client.query(text, values) };
  const prepared = { name: 'plus', text: 'select $1::int + 1 as n', values: [1] };
  const asyncAround = { query: async (...said: unknown[]) => Reflect.apply(client.query, client, said) };
  const replies = await Promise.all([
    send(pool, 'select 2 as n'),
    send(client, prepared),
    send(client, 'select $1::int + 1 as n', [1]),
    send(hosts, 'select $1::int + 1 as n', [1]),
    send(asyncAround, 'select $1::int + 1 as n', [1]),
  ]);
  expect(replies.map(({ rows }) => rows)).toEqual(Array.from({ length: 5 }, () => [{ n: 2 }]));
});

it('throws what Postgres said, with the stack of who asked', async () => {
  const askForTooMuch = async (): Promise<void> => {
    await send(pool, 'select 1 / 0');
  };
  const error = await askForTooMuch().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: '22012', message: 'division by zero' });
  expect((error as Error).stack).toContain('askForTooMuch');
});

it('throws what a host’s own object throws', async () => {
  const broken = { query: () => Promise.reject(new Error('no such thing')) };
  await expect(send(broken, 'select 1')).rejects.toThrow('no such thing');
});

it('hands its statement on with a function, so that pg makes none that outlives the statement', async () => {
  const said: unknown[][] = [];
  const query = (...all: unknown[]): void => {
    said.push(all);
    (all.at(-1) as (error: undefined, result: object) => void)(undefined, { rows: [] });
  };
  await send({ query }, 'select $1', [1]);
  await send({ query }, { text: 'select 1' });
  expect(said).toEqual([
    ['select $1', [1], expect.any(Function)],
    [{ text: 'select 1' }, expect.any(Function)],
  ]);
});

/** A pool with a deadline of a fifth of a second. */
const impatientPool = (url: string): Pool => {
  const impatient = new Pool({ connectionString: url, max: 1, pipeline: true, query_timeout: 200 });
  watchDeadlines(impatient);
  impatient.on('error', () => undefined);
  onTestFinished(() => impatient.end());
  return impatient;
};

const connected = async (from: Pool): Promise<PoolClient> => {
  const client = await from.connect();
  client.on('error', () => undefined);
  onTestFinished(() => client.release(true));
  return client;
};

it('at the deadline, ends a statement without a response, those behind it, and their connection', async () => {
  const network = await silentNetwork(database.url);
  onTestFinished(() => network.stop());
  const client = await connected(impatientPool(network.url));
  await send(client, 'select 1');
  network.fallSilent();
  const faults = await Promise.all(
    ['select 2', 'select 3'].map((text) => send(client, text).catch((error: unknown) => error)),
  );
  expect(faults.map(isConnectionFault)).toEqual([true, true]);
  await expect(send(client, 'select 4')).rejects.toSatisfy(isConnectionFault);
});

it('lets a connection on which nothing is asked be silent for longer', async () => {
  const own = impatientPool(database.url);
  const client = await connected(own);
  await send(client, 'select 1');
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  await once(stream, 'timeout');
  expect((await send(client, 'select 2 as n')).rows).toEqual([{ n: 2 }]);
});

it('has no deadline while that is lifted, and one again afterwards', async () => {
  const client = await connected(impatientPool(database.url));
  const { connectionParameters } = client as unknown as { connectionParameters: { query_timeout: number | false } };
  connectionParameters.query_timeout = false;
  expect((await send(client, 'select pg_sleep(0.4), 1 as n')).rows).toMatchObject([{ n: 1 }]);
  connectionParameters.query_timeout = 200;
  await expect(send(client, 'select pg_sleep(2)')).rejects.toThrow('Query read timeout');
});
