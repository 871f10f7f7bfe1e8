import { getEventListeners } from 'node:events';
import type { PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresConsumerStore } from '../../../server/adapter/postgres/home/consumer-store.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import type { Consumer, PlayerEvent } from '../../../server/home/log/consumer.ts';
import { ConsumerReader } from '../../../server/home/log/consumers.ts';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import type { EngineLog } from '../../../server/runtime/engine-log.ts';
import { alwaysExclusive } from '../../../server/runtime/exclusive.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { recordedLog, silentLog } from '../../support/log/logs.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

let database: HomeDatabase;
let homes: HomeService;
let store: PostgresConsumerStore;
let count = 0;
const clock = new ManualClock(0);
const never = new AbortController().signal;

beforeEach(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  homes = database.service();
  store = new PostgresConsumerStore(new Database({ pool: database.pool, schema: 'kibble' }));
});
afterEach(() => database.drop());

const giftFor = (playerId: string): HomeOrder => ({
  playerId,
  commandId: `command-${++count}`,
  command: { type: 'home:grant', items: { snack: 1 }, reason: 'gift' },
});

/** A transaction of the game's own that has its number already and is still open. */
const openTransaction = async (): Promise<PoolClient> => {
  const client = await database.pool.connect();
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  return client;
};

const commit = async (client: PoolClient): Promise<void> => {
  await client.query('commit');
  client.release();
};

const readerOf = (consumer: Consumer, batch = 3, log: EngineLog = silentLog) =>
  new ConsumerReader({ consumer, store, exclusive: alwaysExclusive, clock, log, batch });

/** A page with this many events, once no transaction of another test holds them back. */
const pageOf = async (name: string, size: number) => {
  for (;;) {
    const page = await store.read(name, size);
    if (page?.events.length === size) return page;
  }
};

/** A consumer that notes its events, and begins at `now`. */
const listener = async (batch?: number) => {
  const heard: string[] = [];
  const handle = async (events: readonly PlayerEvent[]) => {
    heard.push(...events.map(({ playerId, seq }) => `${playerId} ${seq}`));
  };
  await store.register([{ name: 'listener', from: 'now' }]);
  const reader = readerOf({ name: 'listener', handle }, batch);
  return { heard, tick: () => reader.tick(never), listen: () => reader.runDue() };
};

describe('a consumer', () => {
  it('hears what happens to all players from its first boot on, each event once', async () => {
    await store.register([{ name: 'earlier', from: 'now' }]);
    await homes.handle([giftFor('ann')]);
    await pageOf('earlier', 2);
    const { heard, listen } = await listener();
    await homes.handle([giftFor('ann'), giftFor('bea')]);
    await homes.handle([giftFor('bea'), giftFor('cleo')]);
    await listen();
    await listen();
    expect(heard.toSorted()).toEqual(['ann 3', 'bea 1', 'bea 2', 'bea 3', 'cleo 1', 'cleo 2']);
  });

  it('that empties the list it gets goes on at once with the next page', async () => {
    await store.register([{ name: 'emptier', from: 'oldest' }]);
    const reader = readerOf({
      name: 'emptier',
      handle: async (events) => void (events as PlayerEvent[]).splice(0),
    });
    await homes.handle([giftFor('ann'), giftFor('bea')]);
    await pageOf('emptier', 3);
    expect(await reader.tick(never)).toBe(0);
  });

  it('that begins with the oldest hears what was there before it', async () => {
    await homes.handle([giftFor('ann')]);
    await store.register([{ name: 'quests', from: 'oldest' }]);
    expect((await pageOf('quests', 2)).events).toMatchObject([
      { playerId: 'ann', seq: 1, type: 'items-granted', reason: 'starter', items: { 'dog-food': 10 } },
      { playerId: 'ann', seq: 2, type: 'items-granted', reason: 'gift' },
    ]);
  });

  it('misses nothing of a transaction that commits after a younger one', async () => {
    const { heard, tick, listen } = await listener();
    const old = await openTransaction();
    await homes.handle([giftFor('young')]);
    await tick();
    expect(heard).toEqual([]);
    await homes.handleIn(old, [giftFor('old')]);
    await commit(old);
    await listen();
    expect(heard).toEqual(['old 1', 'old 2', 'young 1', 'young 2']);
  });

  it('hears a player in order, also when the older transaction writes later', async () => {
    const { heard, tick, listen } = await listener(1);
    const [old, younger] = [await openTransaction(), await openTransaction()];
    await homes.handle([giftFor('ann')]);
    await homes.handleIn(old, [giftFor('ann')]);
    await commit(old);
    await tick();
    expect(heard).toEqual([]);
    await homes.handleIn(younger, [giftFor('ann')]);
    await commit(younger);
    await listen();
    expect(heard).toEqual(['ann 1', 'ann 2', 'ann 3', 'ann 4']);
  });

  it('that throws gets the same events again, after pauses that grow to a minute', async () => {
    await store.register([{ name: 'broken', from: 'now' }]);
    await homes.handle([giftFor('ann')]);
    await pageOf('broken', 2);
    const heard: number[] = [];
    const { log, codes } = recordedLog();
    const handle: Consumer['handle'] = async (events) => {
      heard.push(events.length);
      if (heard.length < 11) throw new Error('no network');
    };
    const reader = readerOf({ name: 'broken', handle }, 3, log);
    const pauses: number[] = [];
    for (let pauseMs = await reader.tick(never); heard.length < 11; pauseMs = await reader.tick(never)) {
      pauses.push(pauseMs);
      clock.advance(pauseMs - 1);
      expect(await reader.tick(never)).toBe(1);
      clock.advance(1);
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(heard).toEqual(Array.from({ length: 11 }, () => 2));
    expect(codes()).toEqual(Array.from({ length: 10 }, () => 'consumer/handle'));
    expect(await store.read('broken', 10)).toBeUndefined();
  });

  it('ends no process when its listeners of the signal fail, and leaves none of them behind', async () => {
    await store.register([{ name: 'aborted', from: 'oldest' }]);
    await homes.handle([giftFor('ann')]);
    await pageOf('aborted', 2);
    const { log, lines } = recordedLog();
    const stopping = new AbortController();
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const handle: Consumer['handle'] = (_, signal) => {
      signal.addEventListener('abort', () => {
        throw new Error('thrown');
      });
      signal.addEventListener('abort', async () => {
        ended.resolve();
        throw new Error('rejected');
      });
      begun.resolve();
      return ended.promise;
    };
    const ticked = readerOf({ name: 'aborted', handle }, 3, log).tick(stopping.signal);
    await begun.promise;
    stopping.abort();
    await ticked;
    await new Promise(setImmediate);

    expect(lines.map(({ message }) => message)).toEqual(Array(2).fill("a listener of a consumer's signal failed"));
    expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  });

  it('that has not returned for 30 s is named in the log, and reads on when it does', async () => {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { log, lines } = recordedLog();
    await store.register([{ name: 'slow', from: 'oldest' }]);
    await homes.handle([giftFor('ann')]);
    const handle: Consumer['handle'] = () => {
      begun.resolve();
      return end.promise;
    };
    await pageOf('slow', 2);
    const reading = readerOf({ name: 'slow', handle }, 3, log).tick(never);
    await begun.promise;
    clock.advance(29_999);
    expect(lines).toEqual([]);
    clock.advance(1);
    expect(lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('has not returned for 30 s') }]);
    end.resolve();
    await reading;
    expect(await store.isBehind('slow')).toBe(false);
  });

  it('that was overtaken by another process moves nothing back', async () => {
    await store.register([{ name: 'twice', from: 'now' }]);
    await homes.handle([giftFor('ann')]);
    const [stale, page] = [await pageOf('twice', 1), await pageOf('twice', 2)];
    expect(await store.move('twice', page.from, page.to)).toBe(true);
    expect(await store.move('twice', stale.from, stale.to)).toBe(false);
    expect(await store.read('twice', 10)).toBeUndefined();
  });

  it('goes on where it was after a dump was restored where transactions are counted anew', async () => {
    const { heard, listen } = await listener();
    await homes.handle([giftFor('ann')]);
    await listen();
    await homes.handle([giftFor('ann'), giftFor('bea')]);
    await database.pool.query('update kibble.event set tx = tx + 1000000000');
    await database.pool.query('update kibble.consumer set tx = tx + 1000000000');
    await store.register([]);
    await homes.handle([giftFor('ann')]);
    await listen();
    expect(heard).toEqual(['ann 1', 'ann 2', 'ann 3', 'bea 1', 'bea 2', 'ann 4']);
  });

  it('hears each player in order after a restore where the count of transactions lies inside that of the log', async () => {
    await homes.handle([giftFor('ann')]);
    await homes.handle([giftFor('ann')]);
    await homes.handle([giftFor('ann')]);
    await database.pool.query('update kibble.event set tx = tx + 1000000000 where seq > 2');
    await store.register([]);
    await store.register([{ name: 'late', from: 'oldest' }]);
    expect((await pageOf('late', 4)).events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('finds a restored log renumbered once, without a bound on the time, also by processes that start together', async () => {
    await homes.handle([giftFor('ann')]);
    await database.pool.query('update kibble.event set tx = tx + 1000000000');
    await database.pool.query(`create table kibble.renumbered (bound text);
      create function kibble.note() returns trigger language plpgsql as $$ begin
        insert into kibble.renumbered values (current_setting('statement_timeout') || current_setting('lock_timeout'));
        return null; end $$;
      create trigger noted before update on kibble.event for each statement execute function kibble.note()`);
    await Promise.all([store.register([]), store.register([]), store.register([])]);
    expect((await database.pool.query('select bound from kibble.renumbered')).rows).toEqual([{ bound: '00' }]);
  });
});

describe('how far consumers are behind', () => {
  it('is counted in events, up to a bound, and 0 when all is read', async () => {
    const { listen } = await listener();
    await homes.handle(['ann', 'bob'].map(giftFor));
    // Of each player the starter items, and the gift.
    expect(await store.lag(100)).toEqual(new Map([['listener', 4]]));
    expect(await store.lag(3)).toEqual(new Map([['listener', 3]]));
    await listen();
    expect(await store.lag(100)).toEqual(new Map([['listener', 0]]));
  });
});
