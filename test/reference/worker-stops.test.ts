import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { openServer } from '../../server/reference/open-server.ts';
import { readConfig } from '../../server/settings/config.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { Lifecycle } from '../../server/wiring/lifecycle.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';

const TOKEN = 'Zx81kQmW4vTn7LrB2yHcD5sJ';

it.skipIf(!inject('redisUrl'))(
  'a worker that stops answers probes and scrapes until its calls have ended',
  async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-worker-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const database = await createDatabase(inject('postgresUrl'));
    onTestFinished(() => database.drop());
    const config = readConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      ROLE: 'worker',
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      REDIS_URL: inject('redisUrl'),
      REDIS_PREFIX: path.basename(folder),
      JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
      OPS_TOKENS: `op:admin:${TOKEN}`,
    });
    const server = await openServer(config, createLog({ level: 'silent' }));
    const { shutdown } = Lifecycle.prototype;
    const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const spied = vi.spyOn(Lifecycle.prototype, 'shutdown').mockImplementation(async function (this: Lifecycle) {
      asked.resolve();
      await ended.promise;
      return shutdown.call(this);
    });
    onTestFinished(() => spied.mockRestore());
    const status = async (at: string) =>
      (await fetch(`${server.address}${at}`, { headers: { authorization: `Bearer ${TOKEN}` } })).status;
    expect(await status('/readyz')).toBe(200);

    const closed = server.close();
    await asked.promise;
    expect([await status('/readyz'), await status('/metrics')]).toEqual([503, 200]);
    ended.resolve();
    await closed;
    await expect(status('/readyz')).rejects.toThrow();
  },
);
