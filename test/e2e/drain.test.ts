import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startServer } from '../../examples/support/server-process.ts';
import { joinHome } from '../support/player.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-drain-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('asked to stop in the middle of a flood, the server loses no accepted command', { timeout: 60_000 }, async () => {
  const env = { PORT: '0', DATA_DIR: folder };
  const first = await startServer(env);
  const player = await joinHome(first.address);
  await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
  const { token } = player;
  const accepted: string[] = [];
  const flood = Array.from({ length: 40 }, (_, at) => {
    const commandId = `flood-number-${at}`;
    return player.ask('home:adopt', { commandId, name: `Pet ${at}`, species: 'cat' }).then(
      () => accepted.push(commandId),
      () => undefined,
    );
  });
  // The first answer says that the server is in the middle of it.
  await Promise.race(flood);
  const code = await first.stop();
  player.room.connection.close();
  await Promise.allSettled(flood.map((command) => Promise.race([command, Promise.resolve()])));
  expect(code).toBe(0);

  const second = await startServer(env);
  const back = await joinHome(second.address, { token });
  const ids = (await back.log()).flatMap((event) => event.commandId ?? []);
  expect(accepted.length).toBeGreaterThan(0);
  expect(accepted.filter((commandId) => !ids.includes(commandId))).toEqual([]);
  await back.room.leave();
  await second.stop();
});
