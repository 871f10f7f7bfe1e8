import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Registry } from '@prometheus-io/client';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { createRateLimit } from '../../server/http/rate-limit.ts';
import { isSeatOfAnother } from '../../server/reference/game-server.ts';
import { openServer } from '../../server/reference/open-server.ts';
import { startProbeServer } from '../../server/reference/probe-server.ts';
import { readConfig } from '../../server/settings/config.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { Lifecycle } from '../../server/wiring/lifecycle.ts';
import { startHomeServer } from '../support/game/home-server.ts';
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

it('a server that is closed twice ends once, and both hear when it has ended', async () => {
  const server = await startHomeServer();
  const ended = await Promise.all([server.close(), server.close()]);
  expect(ended).toEqual([undefined, undefined]);
  await expect(fetch(`${server.address}/livez`)).rejects.toThrow();
  await server.close();
});

it.each([
  ['with a seat of another process', '/other/room?sessionId=s', true],
  ['the same below a path', '/gateway-1/other/room?sessionId=s', true],
  ['with a seat of this one', '/own/room?sessionId=s', false],
  ['that reconnects to a process that was there before', '/other/room?sessionId=s&reconnectionToken=t', false],
  ['that only measures the latency', '/', false],
  ['without a path', '', false],
])('knows a client %s', (_what, path, expected) => {
  expect(isSeatOfAnother(path, 'own')).toBe(expected);
});

it('cuts a connection whose headers do not end, as the port of a gateway does', async () => {
  const { address, close } = await startProbeServer({
    port: 0,
    host: '127.0.0.1',
    health: { degraded: async () => [] },
    metrics: new Registry(),
    operatorOf: () => undefined,
    wrongTokens: createRateLimit({ count: 3, perMs: 60_000 }),
  });
  onTestFinished(close);
  const { hostname, port } = new URL(address);
  const slow = connect(Number(port), hostname);
  slow.write('GET /livez HTTP/1.1\r\nhost: ');
  let said = '';
  slow.on('data', (bytes) => {
    said += bytes;
  });
  await once(slow, 'close');
  expect(said).toMatch(/^HTTP\/1\.1 408 /);
}, 30_000);
