import { randomUUID } from 'node:crypto';
import { Client, Pool } from 'pg';
import { beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { DatabaseWatch } from '../../server/adapter/postgres/schema/database-watch.ts';
import { createKibble } from '../../server/kibble.ts';
import type { Clock } from '../../server/runtime/clock.ts';
import { createTimers, type EngineLog, silent } from '../../server/timers.ts';
import { timed } from '../proof/table/tries.ts';
import { silentNetwork } from '../support/machine/relay.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';
import { prove } from '../support/properties/prove.ts';

let database: TestDatabase;
let operator: Client;

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'));
  operator = new Client({ connectionString: database.url });
  await operator.connect();
  // Behind what a test itself ends: Postgres drops no database while a session on its server is still logging in.
  onTestFinished(async () => {
    await operator.end();
    await database.drop();
  });
});

const NAME = () => new URL(database.url).pathname.slice(1);
/** The README's options for a game: no bound is set. */
const hostsPool = (url = database.url, max = 6): Pool => {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  return pool;
};

/** A booted game, its log lines of level `error`, and a player that sends commands. */
const game = async (pool = hostsPool()) => {
  const errors: object[] = [];
  const log: EngineLog = { ...silent, error: (fields) => void errors.push(fields) };
  const kibble = createKibble({ pool, log, playerId: ({ sub }) => sub });
  await kibble.lifecycle.boot();
  onTestFinished(async () => {
    await kibble.lifecycle.shutdown();
    await pool.end();
  });
  const adopt = async () => {
    const payload = { commandId: randomUUID(), name: 'Rex', species: 'dog' };
    const [outcome] = await kibble.homes.handle([{ playerId: randomUUID(), type: 'home:adopt', payload }]);
    return outcome?.ok ? 'done' : outcome?.error.code;
  };
  const becomes = (degraded: readonly string[]) =>
    vi.waitFor(() => expect(kibble.health.degraded()).toEqual(degraded), { timeout: 20_000, interval: 50 });
  const reasons = () => errors.flatMap((fields) => ('connections' in fields && 'reason' in fields ? fields : []));
  return { kibble, pool, adopt, becomes, reasons };
};

/** Sessions begin anew, with what was set for the database. */
const endSessions = () =>
  operator.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  );

describe('a database in which no command can be accepted is named, and so is its return,', () => {
  const commandsOf: [what: string, reason: RegExp, harm: string, repair: string][] = [
    [
      'that takes no changes',
      /takes no changes/,
      'alter database :name set default_transaction_read_only = on',
      'alter database :name reset default_transaction_read_only',
    ],
    [
      'whose schema is away',
      /does not exist/,
      'alter schema kibble rename to away',
      'alter schema away rename to kibble',
    ],
    [
      'that lacks a table',
      /tables are missing/,
      'alter table kibble.checkpoint rename to away',
      'alter table kibble.away rename to checkpoint',
    ],
    [
      'that a newer version has migrated, which runs alone',
      /newer version has migrated the schema \(AloneStars9999999999999\)/,
      `insert into kibble.migration (timestamp, name) values (9999999999999, 'AloneStars9999999999999')`,
      `delete from kibble.migration where name = 'AloneStars9999999999999'`,
    ],
  ];
  it.for(commandsOf)('%s', { timeout: 60_000 }, async ([, reason, harm, repair], context) => {
    const { adopt, becomes, reasons } = await game();
    expect(await adopt()).toBe('done');
    await operator.query(harm.replace(':name', NAME()));
    await endSessions();
    await becomes(['database']);
    // The ended session may have been that of a probe: its error is the reason until the next probe, a second later.
    await vi.waitFor(() => expect(reasons().at(-1)).toMatchObject({ reason: expect.stringMatching(reason) }), 10_000);
    await operator.query(repair.replace(':name', NAME()));
    // Nothing ends the sessions that take no changes: after a failover they lead to a standby.
    await becomes([]);
    await vi.waitFor(async () => expect(await adopt()).toBe('done'), { timeout: 10_000 });
    prove(context, { row: 31, tries: 1, of: 'ways in which Postgres takes no changes' });
  });

  it('but not one that a newer version has migrated which runs beside this one', async () => {
    const { pool } = await game();
    await operator.query(`insert into kibble.migration (timestamp, name) values (9999999999999, 'Stars9999999999999')`);
    const probed = Promise.withResolvers<void>();
    const after: Clock['after'] = (ms) => {
      if (ms === 1_000) probed.resolve();
      return () => undefined;
    };
    const clock = { ...systemClock, after };
    const watch = new DatabaseWatch({ database: { pool, schema: 'kibble' }, clock, log: silent });
    onTestFinished(() => watch.stop());
    watch.start();
    await probed.promise;
    expect(watch.trouble).toBeUndefined();
  });

  it('on a disk that is full', async (context) => {
    const { adopt, becomes, reasons } = await game();
    // As Postgres says it where a file cannot grow.
    await operator.query(`
      create function kibble.full() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger full_disk before insert on kibble.event execute function kibble.full()`);
    expect(await adopt()).toBe('server/unavailable');
    await becomes(['database']);
    expect(reasons()).toMatchObject([{ reason: expect.stringMatching(/No space left/) }]);
    await operator.query('drop trigger full_disk on kibble.event');
    expect(await adopt()).toBe('done');
    await becomes([]);
    prove(context, { row: 31, tries: 1, of: 'disks of Postgres that were full' });
  }, 60_000);

  it('on a network that has fallen silent, with a reply to each command', async (context) => {
    const network = await silentNetwork(database.url);
    const { adopt, becomes, reasons } = await game(hostsPool(network.url));
    // First of all: a connection that was being made when the network fell silent would keep its pool from ending.
    onTestFinished(() => network.stop());
    expect(await adopt()).toBe('done');
    network.cut();
    const beganAtMs = performance.now();
    const replies = Promise.all([adopt(), adopt()]);
    await becomes(['database']);
    expect(performance.now() - beganAtMs).toBeLessThan(timed(7_000));
    expect(await replies).toEqual(['server/unavailable', 'server/unavailable']);
    expect(performance.now() - beganAtMs).toBeLessThan(timed(12_000));
    expect(reasons()[0]).toMatchObject({ reason: expect.stringMatching(/has responded for 4 s/) });
    // On a busy machine the pool's own time-out may come in between.
    expect(reasons().length).toBeLessThanOrEqual(2);
    network.restore();
    await becomes([]);
    prove(context, { row: 31, tries: 1, of: 'networks that fell silent' });
  }, 60_000);

  it('in a pool that the game has used up: replies within the bound, one line with the pool’s numbers', async (context) => {
    const { pool, adopt, becomes, reasons } = await game();
    // Each connection that Kibble gives back goes to the game, which keeps it.
    const kept = Array.from({ length: pool.options.max }, () => pool.connect());
    const replies = Promise.all([adopt(), adopt()]);
    await becomes(['database']);
    expect(await replies).toEqual(['server/unavailable', 'server/unavailable']);
    expect(reasons()[0]).toMatchObject({ connections: { open: 6, idle: 0, waiting: expect.any(Number) } });
    expect(reasons().length).toBeLessThanOrEqual(2);
    for (const one of kept) void one.then((client) => client.release());
    await becomes([]);
    expect(await adopt()).toBe('done');
    prove(context, { row: 31, tries: 1, of: 'pools that were used up' });
  }, 60_000);
});

describe('a boot is refused with the remedy', () => {
  const boots = {
    'of a game': () => createKibble({ pool: hostsPool(), log: silent, playerId: ({ sub }) => sub }).lifecycle.boot(),
    'of timers alone': () => createTimers({ pool: hostsPool(), log: silent, kinds: [] }).lifecycle.boot(),
  };
  it.each(Object.entries(boots))('on a database that takes no changes (%s)', async (_, boot) => {
    await operator.query(`alter database ${NAME()} set default_transaction_read_only = on`);
    await expect(boot()).rejects.toMatchObject({
      code: 'database/read-only',
      message: expect.stringMatching(/run alter database "test_\w+" reset default_transaction_read_only/),
    });
  });

  it.each(['LATIN1', 'SQL_ASCII'])('on a database in %s, which cannot hold every text', async (encoding) => {
    const name = `test_latin_${randomUUID().slice(0, 8)}`;
    await operator.query(`create database ${name} encoding '${encoding}' locale 'C' template template0`);
    const url = new URL(database.url);
    url.pathname = name;
    const pool = hostsPool(url.href);
    await expect(createTimers({ pool, log: silent, kinds: [] }).lifecycle.boot()).rejects.toMatchObject({
      code: 'database/encoding',
      message: expect.stringMatching(new RegExp(`encoding ${encoding}, .* encoding 'UTF8' template template0`)),
    });
    expect((await pool.query("select from pg_namespace where nspname = 'kibble'")).rowCount).toBe(0);
    await pool.end();
    await operator.query(`drop database ${name} with (force)`);
  });
});
