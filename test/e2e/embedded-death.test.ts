import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { startServer } from '../../examples/support/server-process.ts';
import { runningPostmaster, stopPostmaster } from '../../server/adapter/embedded-postgres/postmaster.ts';
import { joinHome } from '../support/game/player.ts';
import { prove } from '../support/properties/prove.ts';

/** A meal is over in 2 s. */
const rules = { starter: { items: { 'dog-food': 10 } }, foods: { 'dog-food': { workMs: 2_000, xp: 10 } } };
let dataDir: string;
const clusterDir = () => path.join(dataDir, 'postgres');

beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'kibble-death-'));
});

/** The reference server with the Postgres that it brings. */
const start = async () => {
  const rulesFile = path.join(dataDir, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify(rules));
  const server = await startServer({ PORT: '0', DATA_DIR: dataDir, RULES_FILE: rulesFile });
  onTestFinished(async () => {
    await server.stop();
    const left = runningPostmaster(clusterDir());
    if (left) await stopPostmaster(clusterDir(), left);
    rmSync(dataDir, { recursive: true, force: true });
  });
  return server;
};

const killPostgres = (): void => {
  const running = runningPostmaster(clusterDir());
  if (!running) throw new Error('no Postgres runs');
  process.kill(running.pid, 'SIGKILL');
};

const readyz = async (address: string): Promise<number> => (await fetch(`${address}/readyz`)).status;

it('starts its Postgres again when that was killed: what was accepted is there, and timers fire', async (context) => {
  const { address, said } = await start();
  const player = await joinHome(address);
  const { petId = '' } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
  await player.ask('home:feed', { petId, food: 'dog-food' });
  killPostgres();
  await vi.waitFor(
    () => expect(said()).toMatch(/the embedded Postgres has ended by itself, and is started again/),
    10_000,
  );
  await vi.waitFor(async () => expect(await readyz(address)).toBe(200), { timeout: 30_000, interval: 50 });
  await player.saw((event) => event.type === 'feeding-completed');
  expect((await player.log()).map(({ type }) => type)).toEqual([
    'items-granted',
    'pet-adopted',
    'feeding-started',
    'feeding-completed',
  ]);
  await player.room.leave();
  prove(context, { row: 31, tries: 1, of: 'times the own Postgres was killed' });
}, 60_000);

it('ends with code 1 and one sentence when its Postgres does not come up again', async () => {
  const server = await start();
  appendFileSync(path.join(clusterDir(), 'postgresql.conf'), '\nmax_wal_senders = many\n');
  killPostgres();
  await vi.waitFor(
    () =>
      expect(server.said()).toMatch(/embedded\/failed: Postgres did not come up: .*postgresql.conf.* contains errors/),
    {
      timeout: 30_000,
    },
  );
  expect(await server.stop()).toBe(1);
}, 60_000);
