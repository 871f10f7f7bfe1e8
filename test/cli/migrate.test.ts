import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Terminal } from '../../server/cli/console/terminal.ts';
import { openDatabase } from '../../server/cli/open-database.ts';
import { runProgram } from '../../server/cli/program.ts';
import { createKibble, silent } from '../../server/kibble.ts';
import { readCommandSettings } from '../../server/settings/config.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';
import { becomeNextRelease } from '../support/postgres/releases.ts';

const NEXT = 'MadeUp9000000000000';
const RAN = { code: 0, said: [`ran ${NEXT}`] };

/** A process of this release on a database of its own, and `kibble migrate` there, of whatever release this process is by then. */
const startProcess = async () => {
  const { url, drop } = await createDatabase(inject('postgresUrl'));
  const pool = new Pool({ connectionString: url, max: 8 });
  pool.on('error', () => undefined);
  const kibble = createKibble({ pool, log: silent, playerId: ({ sub }) => sub });
  await kibble.lifecycle.boot();
  /** `answer`: the operator's answer at the terminal. */
  const migrate = async (args: readonly string[] = [], answer?: string) => {
    const said: string[] = [];
    const notes: string[] = [];
    const terminal: Terminal = {
      say: (line) => said.push(line),
      note: (line) => notes.push(line),
      rewrite: () => undefined,
      isForReader: false,
      canAsk: answer !== undefined,
      ask: async (question) => {
        notes.push(question);
        return answer ?? '';
      },
      monotonicMs: () => 0,
      pause: async () => undefined,
      signal: new AbortController().signal,
      uniqueName: () => 'name',
    };
    const code = await runProgram(['migrate', ...args], {
      terminal,
      defaults: () => ({ url: undefined, token: undefined }),
      openDatabase: () => openDatabase(readCommandSettings({ DATABASE_URL: url }), terminal),
      startDevDatabase: () => Promise.reject(new Error('no Postgres here')),
      version: '1',
      explain: String,
    });
    return { code, said, notes };
  };
  const isMoved = async () => (await pool.query('select from kibble.migration where name = $1', [NEXT])).rowCount === 1;
  const end = async () => {
    await kibble.lifecycle.shutdown();
    await pool.end();
    await drop();
  };
  return { kibble, pool, migrate, isMoved, end };
};

describe('kibble migrate on the schema of a process that runs', { timeout: 30_000 }, () => {
  let running: Awaited<ReturnType<typeof startProcess>>[];

  beforeAll(async () => {
    running = await Promise.all([startProcess(), startProcess(), startProcess()]);
  }, 60_000);
  afterAll(() => Promise.all((running ?? []).map(({ end }) => end())), 60_000);
  const first = () => running[0] as (typeof running)[0];

  it('asks nothing where there is nothing to migrate', async () => {
    expect(await first().migrate()).toEqual({ code: 0, said: ['nothing to migrate'], notes: [] });
    becomeNextRelease();
  });

  it('refuses where nobody can be asked, names the flag, and changes nothing', async () => {
    const { code, said, notes } = await first().migrate(['--json']);
    expect([code, said]).toEqual([2, []]);
    expect(JSON.parse(notes.join())).toEqual({
      code: 'database/in-use',
      message: `1 process works on this schema, which is about to change (${NEXT}): stop it first, or pass --yes`,
      params: { pending: [NEXT], processes: 1 },
    });
    expect(await first().isMoved()).toBe(false);
  });

  it('says with --dry-run what it would do, asks nothing, and changes nothing', async () => {
    const would = { code: 0, said: [`would run ${NEXT}`], notes: [] };
    expect(await first().migrate(['--dry-run'])).toEqual(would);
    expect(await first().migrate(['--dry-run', '--yes'])).toEqual(would);
    expect(await first().isMoved()).toBe(false);
  });

  it('asks a person, and does nothing without a yes', async () => {
    const { code, said, notes } = await first().migrate([], '');
    expect([code, said]).toEqual([2, []]);
    expect(notes).toEqual([
      expect.stringMatching(/^1 process works on this schema.*Migrate\? \[y\/N\] $/),
      'error: not done',
    ]);
    expect(await first().isMoved()).toBe(false);
    expect(first().kibble.health.degraded()).toEqual([]);
  });

  it('goes on with a yes; the process whose schema is newer now serves on', async () => {
    expect(await first().migrate([], 'y')).toMatchObject(RAN);
    const order = { playerId: 'ann', commandId: 'a-command', items: { snack: 1 }, reason: 'gift' };
    expect(await first().kibble.homes.grant([order])).toMatchObject([{ ok: true }]);
    expect(first().kibble.health.degraded()).toEqual([]);
  });

  it('does not ask with --yes', async () => {
    expect(await running[1]?.migrate(['--yes'], 'n')).toEqual({ ...RAN, notes: [] });
  });

  it('refuses a schema of a newer release, with --dry-run too', async () => {
    const last = running[0] as (typeof running)[0];
    await last.pool.query(
      "insert into kibble.migration (timestamp, name) values (9900000000000, 'Later9900000000000')",
    );
    const { code, notes } = await last.migrate(['--dry-run']);
    expect([code, notes.join()]).toEqual([1, expect.stringContaining('newer version of Kibble (Later9900000000000)')]);
  });

  it('does not ask when the process has ended', async () => {
    await running[2]?.kibble.lifecycle.shutdown();
    expect(await running[2]?.migrate()).toEqual({ ...RAN, notes: [] });
  });
});
