import { defineServer, type Server } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { Pool } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createKibble, silent } from '../../../server/kibble.ts';
import { createDatabase } from '../../support/postgres/postgres-server.ts';

type Place = 'database' | 'beforeListen' | 'none';

/** A game's server with Kibble in this place, that ends its pool by itself. */
const gameOn = async (place: Place = 'database') => {
  const database = await createDatabase(inject('postgresUrl'));
  const pool = new Pool({ connectionString: database.url, max: 6 });
  pool.on('error', () => undefined);
  onTestFinished(() => database.drop());
  const kibble = createKibble({ pool, log: silent, playerId: ({ sub }) => sub });
  const done: string[] = [];
  const server: Server = defineServer({
    rooms: {},
    ...(place === 'database' && { database: kibble.lifecycle }),
    ...(place === 'beforeListen' && { beforeListen: () => kibble.lifecycle.boot() }),
    transport: new WebSocketTransport(),
    greet: false,
    gracefullyShutdown: false,
  });
  const endPool = (name: string) => async () => {
    done.push(`${name}: Kibble is ${kibble.health.degraded() ? 'serving' : 'drained'}`);
    await kibble.lifecycle.shutdown();
    await pool.end();
  };
  return { kibble, server, done, endPool };
};

it('a Colyseus server that boots Kibble drains it before the callback that the game set first', async () => {
  const { kibble, server, done, endPool } = await gameOn();
  server.onShutdown(endPool('early'));
  await server.listen(0);
  await kibble.homes.look(['ann']);
  await server.gracefullyShutdown(false);
  expect(done).toEqual(['early: Kibble is drained']);
});

it('and before the callback that the game set last, which is its only one', async () => {
  const { server, done, endPool } = await gameOn();
  server.onShutdown(endPool('early'));
  await server.listen(0);
  server.onShutdown(endPool('late'));
  await server.gracefullyShutdown(false);
  expect(done).toEqual(['late: Kibble is drained']);
});

it('also where something else is its `database`, and Kibble boots in its beforeListen', async () => {
  const { kibble, server, done, endPool } = await gameOn('beforeListen');
  server.onShutdown(endPool('own'));
  await server.listen(0);
  await kibble.homes.look(['ann']);
  await server.gracefullyShutdown(false);
  expect(done).toEqual(['own: Kibble is drained']);
});

it.each(['before it listens', 'afterwards'])('also where the game boots Kibble by hand, %s', async (when) => {
  const { kibble, server, done, endPool } = await gameOn('none');
  if (when !== 'afterwards') await kibble.lifecycle.boot();
  await server.listen(0);
  if (when === 'afterwards') await kibble.lifecycle.boot();
  server.onShutdown(endPool('own'));
  await server.gracefullyShutdown(false);
  expect(done).toEqual(['own: Kibble is drained']);
});
