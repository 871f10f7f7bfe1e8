import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, Pool, type PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { checkout } from '../../../server/adapter/postgres/checkout.ts';
import { ownTypes } from '../../../server/adapter/postgres/own-types.ts';
import { createPool, surviveLostConnections } from '../../../server/adapter/postgres/pool.ts';
import { silentLog } from '../../support/log/logs.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres/postgres-server.ts';

let database: TestDatabase;
let operator: Client;

beforeAll(async () => {
  database = await createDatabase(inject('postgresUrl'));
  operator = new Client({ connectionString: database.url });
  await operator.connect();
});

afterAll(async () => {
  await operator.end();
  await database.drop();
});

const pools = {
  'our own pool': () => createPool({ url: database.url, max: 2, log: silentLog }),
  "the host's pool": () => {
    const pool = new Pool({ connectionString: database.url, max: 2 });
    surviveLostConnections(pool, silentLog);
    return pool;
  },
};

it('tells of connections that are lost, but of none while the pool ends', async () => {
  const warnings: unknown[] = [];
  const pool = createPool({
    url: database.url,
    max: 2,
    log: { ...silentLog, warn: (fields) => warnings.push(fields) },
  });
  const client = await pool.connect();
  client.emit('error', new Error('one'));
  client.release();
  const ended = pool.end();
  client.emit('error', new Error('two'));
  await ended;
  expect(warnings).toEqual([{ reason: 'one' }]);
});

// An error event without a listener would end the process, and so fail the whole run.
describe.each(Object.entries(pools))('%s, when connections are lost,', (_, open) => {
  let pool: Pool;
  beforeEach(() => {
    pool = open();
  });
  afterEach(() => pool.end());

  it('serves again after the backend of an idle client was terminated', async () => {
    const client = await pool.connect();
    const pid = await pidOf(client);
    client.release();
    const lost = happened(pool, 'remove');

    await terminate(pid);
    await lost;

    await expect(answer(pool)).resolves.toBe(1);
  });

  it('fails the statement whose backend was terminated, and serves again', async () => {
    const client = await pool.connect();
    const pid = await pidOf(client);
    const statement = client.query('select pg_sleep(60)');
    const lost = happened(client, 'end');
    const failure = expect(statement).rejects.toMatchObject({ code: '57P01' });

    await terminate(pid);
    await Promise.all([failure, lost]);
    client.release(true);

    await expect(answer(pool)).resolves.toBe(1);
  });

  it('survives the end of a client that is checked out and asks nothing', async () => {
    const client = await pool.connect();
    const lost = happened(client, 'end');

    await terminate(await pidOf(client));
    await lost;
    await expect(client.query('select 1')).rejects.toThrow();
    client.release(true);

    await expect(answer(pool)).resolves.toBe(1);
  });

  it('survives a connection that breaks without a word', async () => {
    const client = await pool.connect();
    const statement = client.query('select pg_sleep(60)');
    const failure = expect(statement).rejects.toThrow();

    socketOf(client).destroy(new Error('cut'));
    await failure;
    client.release(true);

    await expect(answer(pool)).resolves.toBe(1);
  });
});

it('watches the clients that a host connected before', async () => {
  const pool = new Pool({ connectionString: database.url });
  const client = await pool.connect();
  const pid = await pidOf(client);
  client.release();
  const reported = new Promise((resolve) => {
    surviveLostConnections(pool, { ...silentLog, warn: (fields, message) => resolve({ fields, message }) });
  });

  await terminate(pid);

  await expect(reported).resolves.toEqual({
    fields: { reason: 'terminating connection due to administrator command' },
    message: 'lost a connection to Postgres',
  });
  await pool.end();
});

it('answers several statements of one client in their order, without waiting between them', async () => {
  const pool = createPool({ url: database.url, max: 1, log: silentLog });
  const client = await pool.connect();

  const answers = await Promise.all([
    client.query('begin'),
    client.query('create temporary table order_kept as select 7 as number'),
    client.query('select number from order_kept'),
    client.query('rollback'),
  ]);

  expect(answers[2].rows).toEqual([{ number: 7 }]);
  client.release();
  await pool.end();
});

it('has the time-outs of a session set', async () => {
  const pool = createPool({ url: database.url, max: 1, log: silentLog });

  const { rows } = await pool.query(
    `select name, setting from pg_settings
     where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'application_name')
     order by name`,
  );

  expect(rows.map(({ setting }) => setting)).toEqual(['kibble', '2000', '1000', '3000']);
  await pool.end();
});

describe('a bigint', () => {
  it('is a number in our own pool, and where a statement asks for it; elsewhere pg is as it was', async () => {
    const own = createPool({ url: database.url, max: 1, log: silentLog });
    const host = new Pool({ connectionString: database.url });
    const text = 'select 1800000000000::bigint as at, $1::text as name';
    const values = ['Rex'];

    expect((await own.query(text, values)).rows).toEqual([{ at: 1_800_000_000_000, name: 'Rex' }]);
    expect((await host.query({ text, values, types: ownTypes })).rows).toEqual([
      { at: 1_800_000_000_000, name: 'Rex' },
    ]);
    expect((await host.query(text, values)).rows).toEqual([{ at: '1800000000000', name: 'Rex' }]);
    await Promise.all([own.end(), host.end()]);
  });

  it('that a number cannot carry is refused, and the client stays good', async () => {
    const pool = createPool({ url: database.url, max: 1, log: silentLog });

    await expect(pool.query('select 9007199254740993::bigint')).rejects.toThrow(RangeError);

    await expect(answer(pool)).resolves.toBe(1);
    await pool.end();
  });
});

describe('a pool of the game', () => {
  const poolOf = (connect: () => unknown): Pool => ({ options: {}, on: () => undefined, connect }) as unknown as Pool;

  it.each([
    ['throws, as pg does for a URL that it cannot read', () => JSON.parse('postgres://u:p#w@db')],
    ['gives nothing', () => undefined],
  ])('whose connect %s is refused at once, and ends nothing', async (_what, connect) => {
    const bounds = vi.spyOn(systemClock, 'after');
    onTestFinished(() => bounds.mockRestore());
    const refused = checkout(poolOf(connect)).then(
      () => 'taken',
      () => 'refused',
    );
    const later = new Promise((resolve) => setImmediate(resolve, 'waits'));
    expect(await Promise.race([refused, later])).toBe('refused');
    // The bound: it must not reject a promise that no code has.
    for (const [, end] of bounds.mock.calls) end();
  });
});

// Not `once` of node:events: it also listens to `error`, and would hide a missing listener.
const happened = (emitter: EventEmitter, event: string): Promise<void> =>
  new Promise((resolve) => {
    emitter.once(event, () => resolve());
  });

const terminate = (pid: number) => operator.query('select pg_terminate_backend($1)', [pid]);

const pidOf = async (client: PoolClient): Promise<number> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;

const answer = async (pool: Pool): Promise<number | undefined> =>
  (await pool.query<{ one: number }>('select 1 as one')).rows[0]?.one;

const socketOf = (client: PoolClient) => (client as unknown as { connection: { stream: Socket } }).connection.stream;
