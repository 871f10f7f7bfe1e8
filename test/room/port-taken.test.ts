import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineServer } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { expect, it, onTestFinished } from 'vitest';
import { createKibble, silent } from '../../server/kibble.ts';
import { hostDatabase } from '../support/postgres/host-database.ts';

it('a server whose port is taken says so, and leaves no worker: Kibble has ended and freed its right to run', async () => {
  const { pool } = await hostDatabase();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const kibble = createKibble({ pool, log: silent, playerId: ({ sub }) => sub });
  const server = defineServer({
    rooms: {},
    database: kibble.lifecycle,
    transport: new WebSocketTransport(),
    gracefullyShutdown: false,
    greet: false,
  });
  const { port } = taken.address() as AddressInfo;
  await expect(server.listen(port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(kibble.health.degraded()).toBeUndefined();
  const { rows } = await pool.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as is_free', [
    'kibble.single-process',
  ]);
  expect(rows).toEqual([{ is_free: true }]);
});
