// examples/town, installed from the packed tarball: two processes with rooms and a worker, played by real clients.
import { createHmac } from 'node:crypto';
import { Client, type Room } from '@colyseus/sdk';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { HomeEvent } from '../../shared/event.ts';
import type { Reply } from '../../shared/protocol.ts';
import { createDatabase, type Database } from '../support/postgres/postgres-server.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';
import { freePort, type PackedTown, packTown, run, said } from '../support/town/packed-town.ts';

const SECRET = 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe';
const MAYOR = 'Zx81kQmW4vTn7LrB2yHcD5sJ';
let town: PackedTown;
let database: Database;
let redis: RedisServer;
let pool: Pool;
let ports: readonly [number, number];
const env = (port: number) => ({
  DATABASE_URL: database.url,
  REDIS_URL: redis.url,
  TOWN_SECRET: SECRET,
  MAYOR_TOKEN: MAYOR,
  PORT: String(port),
});

beforeAll(async () => {
  if (!inject('redisUrl')) return;
  town = await packTown();
  [database, redis] = [await createDatabase(inject('postgresUrl')), await startRedis()];
  ports = [await freePort(), await freePort()];
  pool = new Pool({ connectionString: database.url });
}, 180_000);

afterAll(async () => {
  town?.remove();
  await pool?.end();
  await database?.drop();
  await redis?.stop();
});

type Fits = (event: HomeEvent) => boolean;
const ofType =
  (type: string): Fits =>
  (event) =>
    event.type === type;
/** What the market took or gave. */
const moved =
  (item: string): Fits =>
  ({ type, reason, items }) =>
    type === 'items-granted' && reason === 'market' && item in (items ?? {});

/** A hero on one device, with the Colyseus SDK alone. */
const enter = async (hero: string, port: number, since?: { readonly afterSeq: number }) => {
  const client = new Client(`http://127.0.0.1:${port}`);
  const signature = createHmac('sha256', SECRET).update(hero).digest('base64url');
  client.auth.token = `${hero}.${signature}`;
  const room: Room = await client.joinOrCreate('town', since ?? {});
  room.reconnection.enabled = false;
  const events: HomeEvent[] = [];
  const waiting: { readonly fits: Fits; readonly hear: (event: HomeEvent) => void }[] = [];
  room.onMessage('home:events', (told: { readonly events: readonly HomeEvent[] }) => {
    events.push(...told.events);
    for (const { fits, hear } of waiting) {
      const found = told.events.find(fits);
      if (found) hear(found);
    }
  });
  let commands = 0;
  return {
    room,
    events,
    /** The first that fits, whether it was told already or not. */
    told: (fits: Fits): Promise<HomeEvent> => {
      const known = events.find(fits);
      return known ? Promise.resolve(known) : new Promise((hear) => waiting.push({ fits, hear }));
    },
    ask: (type: string, payload: object): Promise<Reply> =>
      room.request(type, { commandId: `${room.sessionId}-command-${++commands}`, ...payload }) as Promise<Reply>,
  };
};

const stockOf = async (hero: string): Promise<Record<string, number>> => {
  const { rows } = await pool.query<{ item: string; amount: string }>(
    `select 'gold' as item, gold as amount from hero where id = $1
     union all select item, amount from hero_item where hero = $1 and amount > 0 order by item`,
    [hero],
  );
  return Object.fromEntries(rows.map(({ item, amount }) => [item, Number(amount)]));
};

it('is played on two processes, through the end of one, with its own items, timers, rules and operators', {
  timeout: 90_000,
}, async ({ skip }) => {
  if (!inject('redisUrl')) return skip('no Redis: several processes need one');
  const worker = await town.start('worker.ts', env(0));
  const first = await town.start('server.ts', env(ports[0]));
  const second = await town.start('server.ts', env(ports[1]));

  // What the town had before: a state, a message, a token that nobody else can make.
  await expect(new Client(`http://127.0.0.1:${ports[0]}`).joinOrCreate('town')).rejects.toThrow();
  const ann = await enter('ann', ports[0]);
  const waved = new Promise((hear) => ann.room.onMessage('waved', hear));
  ann.room.send('wave');
  expect(await waved).toEqual({ hero: 'ann' });

  // Items in the town's tables, which its own SQL fills; the home is on two devices and two processes.
  await pool.query(
    "insert into hero values ('ann', 0); insert into hero_item values ('ann', 'bread', 3), ('ann', 'wood', 30)",
  );
  await pool.query("insert into hero_item values ('ann', 'hourglass', 1)");
  const { petId } = await ann.ask('home:adopt', { name: 'Rex', species: 'dog' });
  const phone = await enter('ann', ports[1], { afterSeq: 0 });
  expect(await phone.told(ofType('pet-adopted'))).toMatchObject({ petId, name: 'Rex' });

  // A pet eats; a worker sees its end, and both devices hear of it.
  const { dueAt } = await ann.ask('home:feed', { petId, food: 'bread' });
  const [here, there] = await Promise.all([
    ann.told(ofType('feeding-completed')),
    phone.told(ofType('feeding-completed')),
  ]);
  expect([here.at, there.at]).toEqual([dueAt, dueAt]);

  // The town's module: an hour's work, which an hourglass ends at once.
  await ann.ask('village:upgrade', { site: 'hall' });
  await ann.ask('village:use-card', { site: 'hall', card: 'hourglass' });
  expect(await phone.told(ofType('village/finished'))).toMatchObject({ thing: 'hall', level: 1, items: { gold: 5 } });
  expect(await stockOf('ann')).toEqual({ bread: 2, gold: 5, wood: 20 });

  // The town's own timer, in one transaction with its rows. Then the process of the first device dies.
  const offer = { wood: 4, stallId: '6f0d3a0e-6c1f-4a0e-9a53-1f2f6a7b8c9d' };
  expect(await ann.room.request('sell', offer)).toEqual({ isOffered: true });
  expect(await ann.room.request('sell', { wood: 1_000, stallId: 'a1b2c3d4-6c1f-4a0e-9a53-1f2f6a7b8c9d' })).toEqual({
    isOffered: false,
  });
  const { seq } = await ann.told(moved('wood'));
  first.kill('SIGKILL');
  expect(await phone.told(moved('gold'))).toMatchObject({ items: { gold: 12 } });
  const back = await enter('ann', ports[1], { afterSeq: seq });
  await back.told(moved('gold'));
  expect(back.events.map(({ seq: one }) => one)).toEqual([seq + 1]);
  expect(await stockOf('ann')).toEqual({ bread: 2, gold: 17, wood: 16 });

  // Operators, under the town's own path.
  const page = `http://127.0.0.1:${ports[1]}/admin/town`;
  expect(await (await fetch(page)).text()).toContain('Kibble operators');
  const kibble = (...args: readonly string[]) =>
    run(`${town.folder}/node_modules/.bin/kibble`, [...args, '--url', page, '--token', MAYOR], { cwd: town.folder });
  expect((await kibble('players', 'show', 'ann')).stdout).toContain('Rex');
  expect((await kibble('timers', 'ls', '--state', 'completed', '--kind', 'stall')).stdout).toContain('1 of 1');

  // The town's own end is called, after Kibble's.
  const closed = Promise.all([said(second, 'closed'), said(worker, 'closed')]);
  second.kill('SIGTERM');
  worker.kill('SIGTERM');
  await closed;
});
