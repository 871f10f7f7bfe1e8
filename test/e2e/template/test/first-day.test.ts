import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ManualClock, startTestDatabase } from 'colyseus-kibble/testing';
import { createTimers } from 'colyseus-kibble/timers';
import pg from 'pg';

/** Postgres' version, after a timer has fired on this database. */
const versionAfterTimer = async (connectionString: string): Promise<string> => {
  const pool = new pg.Pool({ connectionString, max: 8 });
  const clock = new ManualClock(1_800_000_000_000);
  const fired: string[] = [];
  const call = async ({ subject }: { readonly subject: string }): Promise<void> => {
    fired.push(subject);
  };
  const { timers, lifecycle, runDue } = createTimers({ pool, clock, kinds: [{ kind: 'bread', call }] });
  await lifecycle.boot();
  await timers.schedule([{ kind: 'bread', owner: 'ann', subject: 'oven', inMs: 3_600_000 }]);
  clock.advance(3_600_000);
  await runDue();
  assert.deepStrictEqual(fired, ['oven']);
  await lifecycle.shutdown();
  const { rows } = await pool.query<{ version: string }>('select version()');
  await pool.end();
  return rows[0].version;
};

const freePort = async (): Promise<string> => {
  // Below the ports of outgoing connections, which could take it before Postgres does.
  const port = randomInt(10_000, 32_000);
  const probe = createServer().listen(port, '127.0.0.1');
  await once(probe, 'listening');
  await new Promise((resolve) => probe.close(resolve));
  return String(port);
};

describe('the first day', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-first-day-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has a Postgres by kibble dev-database, and the same for tests', async function () {
    this.timeout(120_000);
    const args = ['dev-database', '--dir', folder, '--port', await freePort()];
    const child = spawn('node_modules/.bin/kibble', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    process.once('exit', () => child.kill('SIGKILL'));
    const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    const [, url] = /^DATABASE_URL=(postgres:\S+)\n$/.exec(String(line)) ?? assert.fail(`it ended: ${line}`);
    const version = await versionAfterTimer(url);
    child.kill('SIGINT');
    assert.deepStrictEqual(await once(child, 'exit'), [0, null]);

    const database = await startTestDatabase();
    assert.strictEqual(await versionAfterTimer(database.url), version);
    await database.stop();
  });
});
