import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Client, MessageContext } from '@colyseus/core';
import express from 'express';
import { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createKibble, type KibbleOptions } from '../../server/kibble.ts';
import { addOpsApi } from '../../server/operators.ts';
import { createTimers, ManualClock, silent } from '../../server/timers.ts';
import { sessionsOnRight } from '../../server/wiring/right-to-run.ts';
import { recordedLog } from '../support/log/logs.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';

let database: TestDatabase;
let pools: Pool[];

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'));
  pools = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

const poolOf = (url: string, max = 6): Pool => {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  pools.push(pool);
  return pool;
};

const kibbleOn = (pool: Pool, options: Partial<KibbleOptions> = {}) =>
  createKibble({ pool, log: silent, playerId: ({ sub }) => sub, ...options });

const admin = (statement: string) => poolOf(database.url, 1).query(statement);

describe('a boot is refused with one sentence, before anything is changed,', () => {
  it.each([1, 2])('on a pool of %i, in which a lock and two callers have no room', async (max) => {
    await expect(kibbleOn(poolOf(database.url, max)).lifecycle.boot()).rejects.toMatchObject({
      code: 'database/pool-too-small',
      message: expect.stringMatching(/Kibble needs 3 \(its locks keep 1 for good\): set max/),
    });
    const timers = createTimers({ pool: poolOf(database.url, max), kinds: [], log: silent });
    await expect(timers.lifecycle.boot()).rejects.toMatchObject({ code: 'database/pool-too-small' });
    expect((await admin("select from pg_namespace where nspname = 'kibble'")).rowCount).toBe(0);
  });

  it('and boots on a pool of the size that it asks for', async () => {
    const kibble = kibbleOn(poolOf(database.url, 3));
    await kibble.lifecycle.boot();
    await kibble.homes.look(['ann', 'bob', 'cat']);
    expect(kibble.health.degraded()).toEqual([]);
    await kibble.lifecycle.shutdown();
  });

  it('when its role may not create the schema, or change what lies in it', async () => {
    const role = `poor_${new URL(database.url).pathname.slice(-12)}`;
    await admin(`create role ${role} login password 'poor'`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'poor';
    const boot = () => kibbleOn(poolOf(url.href)).lifecycle.boot();
    const statement = new RegExp(`create schema "kibble" authorization "${role}"`);
    await expect(boot()).rejects.toMatchObject({
      code: 'database/no-right',
      message: expect.stringMatching(statement),
    });

    await admin('create schema kibble');
    await expect(boot()).rejects.toMatchObject({
      code: 'database/no-right',
      message: expect.stringMatching(/run kibble migrate as \w+, who owns it/),
    });

    await admin(`drop schema kibble; create schema "kibble" authorization "${role}"`);
    const kibble = kibbleOn(poolOf(url.href));
    await kibble.lifecycle.boot();
    await kibble.lifecycle.shutdown();
    await admin(`drop owned by ${role}; drop role ${role}`);
  });

  it.each([
    ['item', '(name text)'],
    ['migration', '(id int, name text)'],
    ['timers', '(id int)'],
  ])('in a schema where a game has a table of the same name: %s', async (table, columns) => {
    await admin(`create table public.${table} ${columns}`);
    await expect(kibbleOn(poolOf(database.url), { schema: 'public' }).lifecycle.boot()).rejects.toMatchObject({
      code: 'database/foreign-tables',
      message: expect.stringContaining(`the schema public has tables of something else (${table})`),
    });
    expect((await admin("select from pg_class where relname = 'thing'")).rowCount).toBe(0);
  });

  it('but not in a schema whose tables are its own', async () => {
    for (let boots = 0; boots < 2; boots += 1) {
      const kibble = kibbleOn(poolOf(database.url), {
        schema: 'public',
        role: 'gateway',
        redis: 'redis://127.0.0.1:9',
      });
      await kibble.lifecycle.boot();
      await kibble.lifecycle.shutdown();
    }
  });

  it('the second time', async () => {
    const kibble = kibbleOn(poolOf(database.url));
    const [first, second] = await Promise.allSettled([kibble.lifecycle.boot(), kibble.lifecycle.boot()]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ reason: { code: 'kibble/booted-twice', retryable: false } });
    await expect(kibble.lifecycle.boot()).rejects.toMatchObject({ code: 'kibble/booted-twice' });
    await kibble.lifecycle.shutdown();
  });
});

describe('after a shutdown', () => {
  it('a boot is refused: what has ended would fire nothing and accept nothing', async () => {
    const ended = expect.objectContaining({ code: 'kibble/ended', retryable: false });
    for (const isBooted of [true, false]) {
      const kibble = kibbleOn(poolOf(database.url));
      if (isBooted) await kibble.lifecycle.boot();
      await kibble.lifecycle.shutdown();
      await expect(kibble.lifecycle.boot()).rejects.toThrow(ended);
    }
  });

  it('that came while it booted, nothing runs, and the right to run is free', async () => {
    const kibble = kibbleOn(poolOf(database.url));
    const booted = kibble.lifecycle.boot();
    const refused = expect(booted).rejects.toMatchObject({ retryable: expect.any(Boolean) });
    await kibble.lifecycle.shutdown();
    await refused;
    expect(kibble.health.degraded()).toBeUndefined();
    const next = kibbleOn(poolOf(database.url));
    await next.lifecycle.boot();
    await next.lifecycle.shutdown();
  });
});

describe('a boot that fails when the tables are there', () => {
  it('leaves nothing running, and frees the right to run', async () => {
    const pool = poolOf(database.url);
    const first = kibbleOn(pool);
    await first.lifecycle.boot();
    await first.lifecycle.shutdown();
    await admin('alter table kibble.timer_kind rename column kind to gone');
    const kibble = kibbleOn(pool);
    await expect(kibble.lifecycle.boot()).rejects.toThrow(/kind/);
    await expect(kibble.lifecycle.boot()).rejects.toMatchObject({ code: 'kibble/ended' });
    expect(await sessionsOnRight({ pool, schema: 'kibble' })).toEqual([]);
  });
});

describe('a boot that was forgotten', () => {
  const notBooted = expect.objectContaining({ code: 'kibble/not-booted', retryable: false });

  it('is named by everything that the game asks for', async () => {
    const kibble = kibbleOn(poolOf(database.url), { clock: new ManualClock(0) });
    const { homes, timers, index, clock, ops } = kibble;
    const operator = { name: 'olga', role: 'admin' } as const;
    const parts = { playerId: 'ann', timerId: '', jobId: '', kind: '', module: '' };
    const alone = createTimers({ pool: poolOf(database.url), kinds: [], log: silent });
    const order = { playerId: 'ann', commandId: 'a-command', items: { snack: 1 }, reason: 'gift' };
    for (const ask of [
      () => homes.grant([order]),
      () => homes.look(['ann']),
      () => timers.schedule([]),
      () => timers.transaction(async () => undefined),
      () => kibble.now(),
      () => kibble.runDue(),
      () => kibble.forgetConsumer('a-consumer'),
      () => index.reshard(2),
      () => index.rebuild(),
      () => index.reconcile(),
      () => index.ofOwner('ann'),
      () => index.state(),
      () => clock.accept(),
      () => ops.runJobs(),
      () => ops.revocations.isRevoked({ keys: ['a'], issuedAtMs: 0 }),
      () => ops.revocations.recent(),
      () => ops.handlers().overview({ operator, parts, input: {} }),
      () => ops.handlers().freeze({ operator, parts, input: { commandId: 'a-command', reason: 'a test' } }),
      () => alone.timers.cancelByOwner(['ann']),
      () => alone.now(),
      () => alone.runDue(),
      () => alone.clock.accept(),
    ]) {
      await expect(ask()).rejects.toThrow(notBooted);
    }
    // It returns no promise.
    expect(() => timers.within({ query: async () => ({ rows: [], rowCount: 0 }) })).toThrow(notBooted);
    expect([clock, alone.clock].map((each) => each.state())).toEqual([{ isHeld: false }, { isHeld: false }]);
    await kibble.lifecycle.shutdown();
  });

  it('is told to operators as a server that starts, not as a fault', async () => {
    const [app, faults, token] = [express(), vi.fn(), 'a-token-of-24-characters'];
    const { ops } = kibbleOn(poolOf(database.url));
    addOpsApi(app, { ops, operators: [{ name: 'olga', role: 'viewer', token }], onFault: faults });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${port}/ops/api/overview`, { headers });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'server/unavailable', message: 'the server is starting' });
    expect(faults).not.toHaveBeenCalled();
  });

  it('is named to rooms that show homes themselves, which have nothing to do with operators’ acts', async () => {
    const { service } = kibbleOn(poolOf(database.url));
    await expect(service.look(['ann'])).rejects.toThrow(notBooted);
    expect(Object.keys(service).sort()).toEqual(['follow', 'handle', 'look', 'now', 'onRules', 'quote', 'sync']);
  });

  it('refuses clients for good, and is named once in the log', async () => {
    const { log, lines } = recordedLog();
    const plugin = kibbleOn(poolOf(database.url), { log }).plugin();
    const client = { sessionId: 'a', auth: { sub: 'ann' } } as unknown as Client;
    const context = { id: 1, reject: (reason: unknown) => reason } as unknown as MessageContext;
    const message = { commandId: 'a-command', name: 'Rex', species: 'dog' };
    for (let times = 0; times < 2; times += 1) {
      expect(await plugin.messages['home:adopt'](client, message, context)).toMatchObject({
        code: 'server/unavailable',
        retryable: false,
        params: { reason: 'kibble/not-booted' },
      });
    }
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('a schema that is called like the role', () => {
  const boot = async (role: string): Promise<readonly unknown[]> => {
    const { log, lines } = recordedLog();
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: 'role' });
    const kibble = kibbleOn(poolOf(url.href), { log, schema: 'looks_first' });
    await kibble.lifecycle.boot();
    await kibble.lifecycle.shutdown();
    return lines.filter(({ level }) => level === 'warn').map(({ code }) => code);
  };
  const makeRole = (role: string) =>
    admin(
      `create role ${role} login password 'role'; grant all on database ${new URL(database.url).pathname.slice(1)} to ${role}`,
    );
  const drop = (role: string) => admin(`drop owned by ${role}; drop role ${role}`);

  it('hides the tables of a game, which is said', async () => {
    await makeRole('looks_first');
    expect(await boot('looks_first')).toEqual([]);
    await admin('create table public.stall (id text)');
    expect(await boot('looks_first')).toEqual(['database/search-path']);
    await admin('alter role looks_first set search_path = public');
    expect(await boot('looks_first')).toEqual([]);
    await drop('looks_first');
  });

  it('and no other hides any', async () => {
    await makeRole('looks_last');
    await admin('create table public.stall (id text)');
    expect(await boot('looks_last')).toEqual([]);
    await drop('looks_last');
  });
});

describe('without a log of the game', () => {
  it('what goes wrong is written to the console, without secrets', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const inventory = {
      load: () => Promise.reject(new Error('no table bag at postgres://game:secret@db/game')),
      apply: () => Promise.resolve(),
    };
    const kibble = createKibble({ pool: poolOf(database.url), playerId: ({ sub }: { sub: string }) => sub, inventory });
    await kibble.lifecycle.boot();
    const order = { playerId: 'ann', commandId: 'a-command', items: { snack: 1 }, reason: 'gift' };
    expect(await kibble.homes.grant([order])).toMatchObject([{ ok: false }]);
    await kibble.lifecycle.shutdown();
    const lines = said.mock.calls.map(([line]) => String(line));
    expect(lines.some((line) => /^kibble .* error .*no table bag at postgres:\/\/game:\[secret\]@db/s.test(line))).toBe(
      true,
    );
    expect(lines.join()).not.toContain(':secret@');
  });
});

it('items that no module declares are those of `items`, and no others', async () => {
  const kibble = kibbleOn(poolOf(database.url), { items: ['coin'] });
  await kibble.lifecycle.boot();
  const order = (item: string) => ({
    playerId: 'ann',
    commandId: `give-${item}-1`,
    items: { [item]: 3 },
    reason: 'sale',
  });
  const [coin, gem] = await kibble.homes.grant([order('coin'), order('gem')]);
  expect(coin).toMatchObject({ ok: true });
  expect(gem).toMatchObject({ ok: false, error: { code: 'item/unknown' } });
  const [view] = await kibble.homes.look(['ann']);
  expect(view?.home.items).toMatchObject({ coin: 3 });
  await kibble.lifecycle.shutdown();
});
