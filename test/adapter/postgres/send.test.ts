import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { checkout, releaseClient } from '../../../server/adapter/postgres/checkout.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { send } from '../../../server/adapter/postgres/send.ts';
import { setStatementTimeout } from '../../../server/adapter/postgres/statement.ts';
import { isConnectionFault } from '../../../server/adapter/postgres/world-fault.ts';
import { silentLog } from '../../support/log/logs.ts';
import { silentNetwork } from '../../support/machine/relay.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres/postgres-server.ts';

let database: TestDatabase;
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

const hostPool = (url: string): Pool => {
  const host = new Pool({ connectionString: url, max: 1 });
  host.on('error', () => undefined);
  onTestFinished(() => host.end());
  return host;
};

/** A checked-out connection with a deadline of a fifth of a second. */
const impatient = async (from: Pool, first = ''): Promise<{ client: PoolClient; stream: Socket }> => {
  const client = await checkout(from);
  client.on('error', () => undefined);
  // However long a busy machine takes for it.
  if (first) await send(client, first);
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.setTimeout(200);
  return { client, stream };
};

it.each([
  ['a host’s pool', hostPool],
  ['our own pool', (url: string) => createPool({ url, max: 1, log: silentLog })],
])(
  'on %s, ends at the deadline a statement without a response, those behind it, and their connection',
  async (_, open) => {
    const network = await silentNetwork(database.url);
    onTestFinished(() => network.stop());
    const from = open(network.url);
    const { client } = await impatient(from, 'select 1');
    network.fallSilent();
    const faults = await Promise.all(
      ['select 2', 'select 3'].map((text) => send(client, text).catch((error: unknown) => error)),
    );
    expect(faults.map(isConnectionFault)).toEqual([true, true]);
    await expect(send(client, 'select 4')).rejects.toSatisfy(isConnectionFault);
    releaseClient(client);
    expect(from.totalCount).toBe(0);
  },
);

it('lets a connection on which nothing is asked be silent for longer', async () => {
  const { client, stream } = await impatient(hostPool(database.url), 'select 1');
  await once(stream, 'timeout');
  // From here on the server has to answer, and a busy machine takes longer than 200 ms.
  stream.setTimeout(5_000);
  expect((await send(client, 'select 2 as n')).rows).toEqual([{ n: 2 }]);
  releaseClient(client);
});

it('gives a host’s own statement on the same connection no deadline', async () => {
  const host = hostPool(database.url);
  const { client, stream } = await impatient(host);
  releaseClient(client);
  const slow = host.query('select pg_sleep(0.5), 1 as n');
  await once(stream, 'timeout');
  expect((await slow).rows).toMatchObject([{ n: 1 }]);
});

it('moves the deadline for a transaction whose statements may take longer, and moves it back', async () => {
  const host = hostPool(database.url);
  const { client, stream } = await impatient(host);
  await setStatementTimeout(client, 60_000);
  expect(stream.timeout).toBe(65_000);
  releaseClient(client);
  releaseClient((await impatient(host)).client);
  const again = await checkout(host);
  expect(stream.timeout).toBe(5_000);
  releaseClient(again);
});
