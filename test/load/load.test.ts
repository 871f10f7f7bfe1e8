import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import type { LoadReport } from '../../load/load-report.ts';
import { type Ran, runKibble, runKibbleHere } from '../support/game/kibble-command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';

/** Short meals, and so little of everything that guests run out after a few commands: a slow machine sends no more. */
const rules = {
  limits: { petsPerPlayer: 1, autoFeedsPerPet: 1, undoMs: 0, boostMs: 3_600_000 },
  starter: { items: { crumb: 2, 'speed-up': 1 } },
  foods: { crumb: { workMs: 200, xp: 1 } },
  cards: {
    'speed-up': { effect: 'cut', workMs: 100 },
    boost: { effect: 'rate', rate: 2, lastsMs: 500 },
    'auto-feed': { effect: 'repeat', times: 1 },
  },
};

/** An adoption, two meals, a card, and a few that are refused. */
const MOST_OF_A_GUEST = 15;

let folder: string;
let rulesFile: string;
let lastingRulesFile: string;
let database: TestDatabase;
let pool: Pool;
let server: ServerProcess;

const start = (port: string, rulesOfServer: string): Promise<ServerProcess> =>
  startServer({
    PORT: port,
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    RULES_FILE: rulesOfServer,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
  });

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-load-'));
  rulesFile = path.join(folder, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify(rules));
  lastingRulesFile = path.join(folder, 'lasting-rules.json');
  writeFileSync(lastingRulesFile, JSON.stringify({ ...rules, starter: { items: { crumb: 1_000_000 } } }));
  database = await createDatabase(inject('postgresUrl'));
  pool = new Pool({ connectionString: database.url });
  server = await start('0', rulesFile);
});

afterAll(async () => {
  await server.kill();
  await pool.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const load = (
  args: readonly string[],
  onNote?: (note: string, interrupt: () => void) => void,
  rulesOfServer = rulesFile,
): Promise<Ran> =>
  runKibble(['load', '--url', server.address, '--rules', rulesOfServer, '--json', ...args], {}, onNote);

/** How many commands have had their answer, by what is written meanwhile. */
const finishedIn = (note: string): number => Number(/: (\d+) commands/.exec(note)?.[1] ?? 0);

/** How many commands of a run stand in the log, and of how many players. */
const logged = async ({ run }: LoadReport): Promise<{ commands: number; players: number }> => {
  const { rows } = await pool.query(
    `select count(distinct command_id)::int commands, count(distinct player_id)::int players
     from kibble.event where command_id like $1`,
    [`${run}-%`],
  );
  return rows[0];
};

it('counts as accepted what stands in the log, and measures commands and timers', { timeout: 60_000 }, async () => {
  const { code, out, err } = await load(['--players', '6', '--rate', '40', '--duration', '4s', '--ramp-up', '1s']);
  const report: LoadReport = JSON.parse(out);

  // How many of the 180 a machine can send is not for a test to say.
  expect(report.sent + report.unsent).toBe(180);
  expect(report).toMatchObject({ open: 0, wasStopped: false, unanswered: {}, failedJoins: {} });
  const refused = Object.values(report.refused).reduce((sum, count) => sum + count, 0);
  expect(report.accepted + refused).toBe(report.sent);
  expect(await logged(report)).toEqual({ commands: report.accepted, players: 6 + report.successors });
  expect(report.timesMs.command?.count).toBeGreaterThan(0);
  expect(report.timesMs.dueToClient?.count).toBeGreaterThan(0);
  expect(err).toMatch(/^load.*: \d+ commands, \d+\/s, .* left$/m);
  expect(err).not.toContain('\r');
  expect(code).toBe(report.unsent === 0 ? 0 : 1);
});

it('has new guests follow those that ran out; stops in good order at Ctrl-C, and tells what was measured until then', {
  timeout: 60_000,
}, async () => {
  const { code, out } = await load(['--players', '3', '--rate', '20', '--duration', '10min'], (note, interrupt) => {
    if (finishedIn(note) > 3 * MOST_OF_A_GUEST) interrupt();
  });
  const report: LoadReport = JSON.parse(out);

  expect(report).toMatchObject({ wasStopped: true, open: 0 });
  // Commands that are not due yet are not missing: 12,000 were ordered. A slow machine lags behind by some.
  expect(report.unsent).toBeLessThan(6_000);
  expect(report.successors).toBeGreaterThan(0);
  expect((await logged(report)).commands).toBe(report.accepted);
  expect(code).toBe(1);
});

it('has its players come back to a server that was killed, and asks again for what had no answer', {
  timeout: 60_000,
}, async () => {
  await server.kill();
  // With guests that never run out: a guest that has given a command stays.
  server = await start('0', lastingRulesFile);
  const { port } = new URL(server.address);
  let restarted: Promise<void> | undefined;
  let isBack = false;
  let finishedWhenBack: number | undefined;
  let awayMs = 0;
  const restart = async (): Promise<void> => {
    await server.kill();
    const killedAtMs = Date.now();
    server = await start(port, lastingRulesFile);
    awayMs = Date.now() - killedAtMs;
    isBack = true;
  };
  const args = ['--players', '6', '--rate', '60', '--duration', '10min', '--ramp-up', '0s'];
  const { out } = await load(
    args,
    (note, interrupt) => {
      const finished = finishedIn(note);
      if (finished > 0) restarted ??= restart();
      if (isBack) finishedWhenBack ??= finished;
      // Some commands of each player: all of them have come back, and have read what ended meanwhile.
      if (finishedWhenBack !== undefined && finished >= finishedWhenBack + 60) interrupt();
    },
    lastingRulesFile,
  );
  await restarted;
  const report: LoadReport = JSON.parse(out);

  expect(report.comebacks).toBeGreaterThan(0);
  // A meal that ended meanwhile was waited for until the server was back.
  expect(report.timesMs.dueToClient?.max).toBeGreaterThan(awayMs - 2 * rules.foods.crumb.workMs);
  expect(report.open).toBe(0);
  expect((await logged(report)).commands).toBe(report.accepted);
});

it('counts no comeback from a server that stays away', { timeout: 60_000 }, async () => {
  let killed: Promise<void> | undefined;
  let isGone = false;
  const args = ['--players', '3', '--rate', '20', '--duration', '10min', '--ramp-up', '0s'];
  const { out } = await load(args, (note, interrupt) => {
    if (isGone) interrupt();
    if (finishedIn(note) > 0)
      killed ??= server.kill().then(() => {
        isGone = true;
      });
  });
  await killed;
  expect(JSON.parse(out)).toMatchObject({ joined: 3, comebacks: 0, wasStopped: true });
});

it('counts as never sent what a player without anything to do was given', { timeout: 60_000 }, async () => {
  await server.kill();
  const emptyRulesFile = path.join(folder, 'empty-rules.json');
  writeFileSync(emptyRulesFile, JSON.stringify({ ...rules, starter: { items: {} } }));
  server = await start('0', emptyRulesFile);
  const args = ['--players', '2', '--rate', '2', '--duration', '2s', '--ramp-up', '0s'];
  const { code, out } = await load(args, undefined, emptyRulesFile);
  expect(JSON.parse(out)).toMatchObject({ sent: 0, unsent: 4, open: 0, wasStopped: false });
  expect(code).toBe(1);
});

it.each([
  [['--players', '0'], /players.*1 or more/],
  [['--players', 'many'], /many is no whole number/],
  [['--rate', '0'], /0 is no rate/],
  [['--duration', '5'], /5 is no duration/],
  [['--rate', '5', '--rate-per-player', '1'], /exclude each other/],
  [['--url', 'somewhere'], /--url is no URL/],
  [['--rules', '/no/such/file'], /--rules: .*no such file/],
  [['--nonsense'], /unknown option/],
])('refuses %j with the exit code 2, and plays nothing', async (args, why) => {
  const { code, out, err } = await runKibbleHere(['load', ...args], { KIBBLE_URL: 'http://127.0.0.1:9' });

  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(why);
});

it('says that nobody answers, with the exit code 1', async () => {
  const { code, err } = await runKibble(['load', '--url', 'http://127.0.0.1:9'], {});

  expect(code).toBe(1);
  expect(err).toMatch(/no server answers at http:\/\/127.0.0.1:9/);
});
