import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresConsumerStore } from '../../../server/adapter/postgres/home/consumer-store.ts';
import { fromCheckpoint } from '../../../server/adapter/postgres/home/home-rows.ts';
import { PostgresRetainedStore } from '../../../server/adapter/postgres/home/retained-store.ts';
import type { CheckpointHome } from '../../../server/adapter/postgres/schema/home-entities.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import { Retention } from '../../../server/home/log/retention.ts';
import { type Home, newHome } from '../../../shared/home.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { Command, Reply } from '../../../shared/pets/protocol.ts';
import { fold, petsModules } from '../../../testing/pets-engine.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

let database: HomeDatabase;
let homes: HomeService;
let retained: PostgresRetainedStore;
let count = 0;
/** Logged as an error. */
let told: object[] = [];
const log = { error: (fields: object): void => void told.push(fields) };

beforeEach(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  homes = database.service();
  told = [];
  retained = new PostgresRetainedStore({
    database: new Database({ pool: database.pool, schema: 'kibble' }),
    modules: petsModules(),
    log,
  });
});
afterEach(() => database.drop());

const send = async (playerId: string, command: Command, commandId = `command-${++count}`) => {
  const [outcome] = await homes.handle([{ playerId, commandId, command }]);
  if (!outcome?.ok) throw new Error(JSON.stringify(outcome));
  return outcome.value as Reply;
};

/** A bit of everything: 10 events, among them an ended feeding and one that runs. */
const live = async (playerId: string): Promise<void> => {
  const { petId = '' } = await send(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
  await send(playerId, { type: 'home:feed', petId, food: 'dog-food' });
  await send(playerId, { type: 'home:use-card', petId, card: 'speed-up', count: 2 });
  await send(playerId, { type: 'home:feed', petId, food: 'dog-food' });
  await send(playerId, { type: 'home:use-card', petId, card: 'boost' });
  await send(playerId, { type: 'home:use-card', petId, card: 'auto-feed', count: 3 });
  await send(playerId, { type: 'home:disarm', petId, count: 1 });
  await send(playerId, { type: 'home:grant', items: { snack: 2 }, reason: 'gift' });
};

const checkpointOf = async (playerId: string): Promise<Home> => {
  const text = 'select home from kibble.checkpoint where player_id = $1';
  const [row] = (await database.pool.query<{ home: CheckpointHome }>(text, [playerId])).rows;
  return row ? fromCheckpoint(petsModules(), row.home) : newHome(playerId);
};

const logOf = (playerId: string) => database.store.events(playerId, 0, 1000);

/** So many events are folded: no sooner than the transactions of other tests let them go. */
const foldFirst = async (events: number): Promise<void> => {
  for (let folded = 0; folded < events; ) folded += await retained.foldEvents(LATEST_MS, events - folded);
};

describe('events older than their retention', () => {
  it('fold into a checkpoint from which the later ones make the rows, wherever the cut lies', async () => {
    await Promise.all([live('ann'), live('bea')]);
    const rows = (await homes.look(['ann', 'bea'])).map(({ home }) => home);
    const total = (await logOf('ann')).length + (await logOf('bea')).length;
    for (let folded = 0; folded < total; ) {
      folded += await retained.foldEvents(LATEST_MS, 3);
      const again = await Promise.all(
        rows.map(async ({ playerId }) => fold(await checkpointOf(playerId), await logOf(playerId))),
      );
      expect(again).toEqual(rows);
    }
    expect(await logOf('ann')).toEqual([]);
    await send('ann', { type: 'home:grant', items: { snack: 2 }, reason: 'gift' });
    const [view] = await homes.look(['ann']);
    expect(fold(await checkpointOf('ann'), await logOf('ann'))).toEqual(view?.home);
  });

  it('fold once when two processes fold at once, each sure that it is alone', async () => {
    await Promise.all([live('ann'), live('bea')]);
    const rows = (await homes.look(['ann', 'bea'])).map(({ home }) => home);
    const total = (await logOf('ann')).length + (await logOf('bea')).length;
    const other = new PostgresRetainedStore({
      database: new Database({ pool: database.pool, schema: 'kibble' }),
      modules: petsModules(),
      log,
    });
    let folded = 0;
    while (folded < total) {
      const both = await Promise.all([retained.foldEvents(LATEST_MS, 3), other.foldEvents(LATEST_MS, 3)]);
      folded += both[0] + both[1];
    }
    expect(folded).toBe(total);
    expect(await Promise.all(['ann', 'bea'].map(checkpointOf))).toEqual(rows);
  });

  it('stay while a consumer has not read them', async () => {
    const consumers = new PostgresConsumerStore(new Database({ pool: database.pool, schema: 'kibble' }));
    await send('ann', { type: 'home:adopt', name: 'Rex', species: 'dog' });
    await consumers.register([{ name: 'quests', from: 'oldest' }]);
    expect(await retained.foldEvents(LATEST_MS, 10)).toBe(0);
    let page = await consumers.read('quests', 1);
    while (!page) page = await consumers.read('quests', 1);
    await consumers.move('quests', page.from, page.to);
    expect(await retained.foldEvents(LATEST_MS, 10)).toBe(1);
    await consumers.forget('quests');
    expect(await retained.foldEvents(LATEST_MS, 10)).toBe(1);
  });

  it('are those before the first recent one', async () => {
    await live('ann');
    await database.pool.query(`update kibble.event set at = 1000 where seq <= 4`);
    const beforeMs = (await retained.nowMs()) - 60_000;
    for (let folded = 0; folded < 4; ) folded += await retained.foldEvents(beforeMs, 100);
    expect(await retained.foldEvents(beforeMs, 100)).toBe(0);
    expect((await logOf('ann'))[0]?.seq).toBe(5);
  });

  it('are no longer answered: a client that asks from before gets what is there', async () => {
    await live('ann');
    await foldFirst(4);
    expect(await homes.sync('ann', { afterSeq: 1 })).toMatchObject({
      ok: true,
      value: { events: [{ seq: 5 }, {}, {}, {}, {}, {}] },
    });
  });

  it('take the memory of their commands with them', async () => {
    const grant: Command = { type: 'home:grant', items: { snack: 1 }, reason: 'gift' };
    const first = await send('ann', grant, 'the-same-id');
    expect(await send('ann', grant, 'the-same-id')).toEqual(first);
    await foldFirst(2);
    expect((await send('ann', grant, 'the-same-id')).seq).toBe(first.seq + 1);
  });

  it('fold after a restore where the count of transactions lies inside that of the log', async () => {
    await live('ann');
    const rows = (await homes.look(['ann'])).map(({ home }) => home);
    await database.pool.query('update kibble.event set tx = tx + 1000000000 where seq > 4');
    await new PostgresConsumerStore(new Database({ pool: database.pool, schema: 'kibble' })).register([]);
    await foldFirst((await logOf('ann')).length);
    expect([await checkpointOf('ann')]).toEqual(rows);
    expect(told).toEqual([]);
  });

  it('are not folded over a gap, which is reported once and holds up no other player', async () => {
    await live('ann');
    await live('bea');
    await database.pool.query("delete from kibble.event where player_id = 'ann' and seq = 1");
    // A page has no more events than Ann, who wrote first.
    for (let folded = 0; folded < 10; ) folded += await retained.foldEvents(LATEST_MS, 5);
    expect(await logOf('bea')).toEqual([]);
    expect(await checkpointOf('bea')).toEqual((await homes.look(['bea']))[0]?.home);
    expect(await logOf('ann')).toMatchObject(Array.from({ length: 9 }, (_, at) => ({ seq: at + 2 })));
    expect(told.map((fields) => String('err' in fields && fields.err))).toEqual([
      'Error: the log of ann has a gap before 2',
    ]);
  });
});

describe('the retention', () => {
  it('goes on with smaller batches where a batch takes too long', async () => {
    let left = 2_000;
    const asked: number[] = [];
    const foldEvents = async (_beforeMs: number, limit: number): Promise<number> => {
      asked.push(limit);
      if (limit > 50) throw new Error('statement timeout');
      left -= Math.min(left, limit);
      return limit;
    };
    const { tick } = new Retention({ store: { nowMs: async () => 0, foldEvents }, eventsMs: 0 });
    for (let times = 0; times < 200 && left > 0; times += 1) await tick().catch(() => undefined);
    expect(left).toBe(0);
    expect(asked.slice(0, 4)).toEqual([500, 125, 32, 34]);
  });

  it('folds what is older than its time by the store’s clock, and comes again soon after a full batch', async () => {
    const asked: number[] = [];
    const foldEvents = async (beforeMs: number, limit: number): Promise<number> => {
      asked.push(beforeMs);
      return asked.length === 1 ? limit : 0;
    };
    const { tick } = new Retention({ store: { nowMs: async () => 5_000_000, foldEvents }, eventsMs: 3_000_000 });
    expect([await tick(), await tick()]).toEqual([100, 60_000]);
    expect(asked).toEqual([2_000_000, 2_000_000]);
  });

  it('has nothing to do for guests who never played: they have no row anywhere', async () => {
    await homes.look(['guest']);
    await homes.quote('guest', { type: 'home:adopt', name: 'Rex', species: 'dog' });
    await homes.handle([
      { playerId: 'guest', commandId: 'command-0', command: { type: 'home:feed', petId: 'none', food: 'dog-food' } },
    ]);
    for (const table of ['home', 'thing', 'event', 'checkpoint']) {
      expect((await database.pool.query(`select from kibble.${table}`)).rowCount).toBe(0);
    }
  });
});
