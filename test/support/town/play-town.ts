import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, type Room } from '@colyseus/sdk';
import { Pool } from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import type { FollowOptions, HomeFollower } from '../../../client/follow/follow-home.ts';
import type { village } from '../../../examples/village.ts';
import type { pets } from '../../../server/kibble.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { createDatabase } from '../postgres/postgres-server.ts';
import { freePort, type PackedTown, run, said } from './packed-town.ts';

const SECRET = 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe';
const MAYOR = 'Zx81kQmW4vTn7LrB2yHcD5sJ';

/** The town's client, in the types of the sources. */
type Town = [typeof pets, typeof village];
interface TownClient {
  enterTown(
    visit: Pick<FollowOptions<Town>, 'since' | 'onEvents'> & {
      readonly address: string;
      readonly token: string;
      readonly onRoom: (room: Room) => void;
    },
  ): HomeFollower<Town>;
}

/** A database for one play of the town. The test's end drops it. */
const openDatabase = async (): Promise<{ readonly url: string; readonly pool: Pool }> => {
  const database = await createDatabase(inject('postgresUrl'));
  // The user of these tests is called like Kibble's schema, which would hide the town's tables.
  const setup = new Pool({ connectionString: database.url, max: 1 });
  await setup.query(`alter database "${new URL(database.url).pathname.slice(1)}" set search_path = public`);
  await setup.end();
  const pool = new Pool({ connectionString: database.url });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return { url: database.url, pool };
};

type Fits = (event: HomeEvent) => boolean;
const ofType =
  (type: string): Fits =>
  (event) =>
    event.type === type;
/** The market's moves of items. */
const moved =
  (item: string): Fits =>
  ({ type, reason, items }) =>
    type === 'items-granted' && reason === 'market' && item in (items ?? {});

/** A hero on one device, from the first event on. */
const enterBy = async (client: TownClient, hero: string, port: number) => {
  const signature = createHmac('sha256', SECRET).update(hero).digest('base64url');
  const events: HomeEvent[] = [];
  const waiting: { readonly fits: Fits; readonly hear: (event: HomeEvent) => void }[] = [];
  const { promise: isIn, resolve: enterRoom } = Promise.withResolvers<Room>();
  const follower = client.enterTown({
    address: `http://127.0.0.1:${port}`,
    token: `${hero}.${signature}`,
    onRoom: enterRoom,
    onEvents: (told) => {
      const news = told as readonly HomeEvent[];
      events.push(...news);
      for (const { fits, hear } of waiting) {
        const found = news.find(fits);
        if (found) hear(found);
      }
    },
  });
  onTestFinished(() => follower.close());
  return {
    follower,
    events,
    room: await isIn,
    /** The first that fits, whether it was told already or not. */
    told: (fits: Fits): Promise<HomeEvent> => {
      const known = events.find(fits);
      return known ? Promise.resolve(known) : new Promise((hear) => waiting.push({ fits, hear }));
    },
  };
};

const stockIn = async (pool: Pool, hero: string): Promise<Record<string, number>> => {
  const { rows } = await pool.query<{ item: string; amount: string }>(
    `select 'gold' as item, gold as amount from hero where id = $1
     union all select item, amount from hero_item where hero = $1 and amount > 0 order by item`,
    [hero],
  );
  return Object.fromEntries(rows.map(({ item, amount }) => [item, Number(amount)]));
};

/** The town's processes: `die` ends that of the first device, `revive` starts it anew at the same address. */
interface Processes {
  /** Of two devices. */
  readonly ports: readonly [number, number];
  die(): void;
  revive(): Promise<unknown>;
  /** SIGTERM to all; resolves when each has said that it is closed. */
  end(): Promise<unknown>;
}

const startProcesses = async (town: PackedTown, databaseUrl: string, redisUrl?: string): Promise<Processes> => {
  const [port, other] = [await freePort(), await freePort()];
  const start = (file: string, at: number) =>
    town.start(file, {
      DATABASE_URL: databaseUrl,
      ...(redisUrl && { REDIS_URL: redisUrl }),
      TOWN_SECRET: SECRET,
      MAYOR_TOKEN: MAYOR,
      PORT: String(at),
    });
  const others: ChildProcess[] = redisUrl ? [await start('worker.ts', 0), await start('server.ts', other)] : [];
  let first = await start('server.ts', port);
  return {
    ports: [port, redisUrl ? other : port],
    die: () => first.kill('SIGKILL'),
    revive: async () => {
      first = await start('server.ts', port);
    },
    end: () =>
      Promise.all(
        [first, ...others].map((child) => {
          const closed = said(child, 'closed');
          child.kill('SIGTERM');
          return closed;
        }),
      ),
  };
};

/**
 * Plays examples/town through its own client, with its own items, timers, rules and operators; meanwhile the process of the
 * hero's first device dies. On one process by the timing wheel, or with `redisUrl` on two with rooms and a worker.
 */
export const playTheTown = async (town: PackedTown, redisUrl?: string): Promise<void> => {
  const { url, pool } = await openDatabase();
  const { ports, die, revive, end } = await startProcesses(town, url, redisUrl);
  const client: TownClient = await import(pathToFileURL(path.join(town.folder, 'client.ts')).href);
  const enter = (hero: string, port: number) => enterBy(client, hero, port);
  const stockOf = (hero: string) => stockIn(pool, hero);

  // The town's own state, message and unforgeable token, from before Kibble.
  await expect(new Client(`http://127.0.0.1:${ports[0]}`).joinOrCreate('town')).rejects.toThrow();
  const ann = await enter('ann', ports[0]);
  const waved = new Promise((hear) => ann.room.onMessage('waved', hear));
  ann.room.send('wave');
  expect(await waved).toEqual({ hero: 'ann' });

  // Items in the town's tables, which its own SQL fills; the home is on two devices.
  await pool.query(
    "insert into hero values ('ann', 0); insert into hero_item values ('ann', 'bread', 3), ('ann', 'wood', 30), ('ann', 'hourglass', 1)",
  );
  const phone = await enter('ann', ports[1]);
  const { petId = '' } = await ann.follower.command('home:adopt', { name: 'Rex', species: 'dog' });
  expect(await phone.told(ofType('pet-adopted'))).toMatchObject({ petId, name: 'Rex' });

  // A pet eats; both devices hear of its end.
  const { dueAt } = await ann.follower.command('home:feed', { petId, food: 'bread' });
  const [here, there] = await Promise.all([
    ann.told(ofType('feeding-completed')),
    phone.told(ofType('feeding-completed')),
  ]);
  expect([here.at, there.at]).toEqual([dueAt, dueAt]);

  // The town's module: an hour's work, which an hourglass ends at once.
  await ann.follower.command('village:upgrade', { site: 'hall' });
  const quote = await ann.follower.quote('village:use-card', { site: 'hall', card: 'hourglass' });
  expect(quote?.events).toMatchObject([{ type: 'village/card-used' }, { type: 'village/finished' }]);
  await ann.follower.command('village:use-card', { site: 'hall', card: 'hourglass' });
  expect(await phone.told(ofType('village/finished'))).toMatchObject({ thing: 'hall', level: 1, items: { gold: 5 } });
  expect(phone.follower.home?.things.village?.hall?.state).toEqual({ level: 1 });
  await expect(ann.follower.command('village:use-card', { site: 'hall', card: 'flag' })).rejects.toMatchObject({
    rejection: { code: 'village/idle' },
  });
  expect(await stockOf('ann')).toEqual({ bread: 2, gold: 5, wood: 20 });

  // The town's own timer, in one transaction with its rows. Then the process of the first device dies.
  const offer = { wood: 4, stallId: '6f0d3a0e-6c1f-4a0e-9a53-1f2f6a7b8c9d' };
  expect(await ann.room.request('sell', offer)).toEqual({ isOffered: true });
  expect(await ann.room.request('sell', { wood: 1_000, stallId: 'a1b2c3d4-6c1f-4a0e-9a53-1f2f6a7b8c9d' })).toEqual({
    isOffered: false,
  });
  await ann.told(moved('wood'));
  die();
  await revive();
  expect(await phone.told(moved('gold'))).toMatchObject({ items: { gold: 12 } });
  // The first device has come back by itself; nothing is missing, and nothing came twice.
  const { seq } = await ann.told(moved('gold'));
  const [first = seq] = ann.events.map((event) => event.seq);
  expect(ann.events.map((event) => event.seq)).toEqual(Array.from({ length: seq - first + 1 }, (_, at) => first + at));
  expect(ann.follower.home?.items).toEqual({ bread: 2, gold: 17, wood: 16 });
  expect(await stockOf('ann')).toEqual({ bread: 2, gold: 17, wood: 16 });

  // Operators, under the town's own path.
  const page = `http://127.0.0.1:${ports[1]}/admin/town`;
  expect(await (await fetch(page)).text()).toContain('Kibble operators');
  const kibble = (...args: readonly string[]) =>
    run(`${town.folder}/node_modules/.bin/kibble`, [...args, '--url', page, '--token', MAYOR], { cwd: town.folder });
  expect((await kibble('players', 'show', 'ann')).stdout).toContain('Rex');
  expect((await kibble('timers', 'ls', '--state', 'completed', '--kind', 'stall')).stdout).toContain('1 of 1');

  // The town's own end is called, after Kibble's.
  await end();
};
