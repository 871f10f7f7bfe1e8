import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CloseCode } from '@colyseus/sdk';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { inherited, startServer } from '../../examples/support/server-process.ts';
import { joinHome } from '../support/game/player.ts';
import { hostDatabase } from '../support/postgres/host-database.ts';

const main = path.join(import.meta.dirname, '../../server/reference/main.ts');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-drain-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('asked to stop in the middle of a flood, the server loses no accepted command', { timeout: 60_000 }, async () => {
  const rules = path.join(folder, 'rules.json');
  // As many pets as there are commands: the rules refuse none.
  writeFileSync(rules, JSON.stringify({ limits: { petsPerPlayer: 100 } }));
  const env = { PORT: '0', DATA_DIR: folder, RULES_FILE: rules };
  const first = await startServer(env);
  const player = await joinHome(first.address);
  await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
  const { token } = player;
  const [accepted, refused]: [string[], string[]] = [[], []];
  const flood = Array.from({ length: 40 }, (_, at) => {
    const commandId = `flood-number-${at}`;
    return player.ask('home:adopt', { commandId, name: `Pet ${at}`, species: 'cat' }).then(
      () => accepted.push(commandId),
      (error: Error) => void (error.message.startsWith('rejected') && refused.push(commandId)),
    );
  });
  // The first answer says that the server is in the middle of it.
  await Promise.race(flood);
  // A second signal of an impatient operator must not cut the first one's drain short.
  const [code] = await Promise.all([first.stop(), first.stop('SIGINT')]);
  player.room.connection.close();
  await Promise.allSettled(flood.map((command) => Promise.race([command, Promise.resolve()])));
  expect(code).toBe(0);

  const second = await startServer(env);
  const back = await joinHome(second.address, { token });
  const ids = (await back.log()).flatMap((event) => event.commandId ?? []);
  expect(accepted.length).toBeGreaterThan(0);
  expect(ids.filter((commandId) => commandId.startsWith('flood')).sort()).toEqual(accepted.sort());
  // Each was read before the signal or by the drain: it has an outcome.
  expect(accepted.length + refused.length).toBe(flood.length);
  await back.room.leave();
  await second.stop();
});

it('asked twice to stop while an accepted command is being done, the server lets nobody in and answers it', async () => {
  const { url, pool } = await hostDatabase();
  const server = await startServer({
    PORT: '0',
    DATABASE_URL: url,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
  });
  onTestFinished(() => server.kill());
  const player = await joinHome(server.address);
  const { room } = player;
  const { seq } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
  const told = new Promise<void>((resolve) => room.onMessage('home:drain', () => resolve()));
  const left = new Promise<number>((resolve) => room.onLeave(resolve));

  // Another transaction has the home: the command is accepted and cannot be done yet.
  const other = await pool.connect();
  await other.query('begin');
  await other.query('select * from kibble.home for update');
  const asked = player.ask('home:adopt', { name: 'Tom', species: 'cat' });
  await room.request('home:time', {});
  const ended = server.stop();
  await told;
  // From a supervisor that signals the whole group, and from the parent that had the signal too.
  void server.stop();
  const join = fetch(`${server.address}/matchmake/joinOrCreate/home`, { method: 'POST' });
  const statuses = [(await fetch(`${server.address}/readyz`)).status, (await join).status];
  await other.query('commit');
  other.release();

  expect(statuses).toEqual([503, 503]);
  expect(await asked).toMatchObject({ seq: seq + 1 });
  expect(await left).toBe(CloseCode.SERVER_SHUTDOWN);
  expect(await ended).toBe(0);
});

it('stops in good order when its log can no longer be written', { timeout: 60_000 }, async () => {
  const env = { ...inherited(), PORT: '0', DATA_DIR: folder };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let said = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    said += part;
    if (said.includes('Kibble is ready')) break;
  }
  // Leaving the loop has closed the pipe.
  expect(child.stdout.destroyed).toBe(true);
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
});
