import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { hostInventory } from '../../../server/adapter/postgres/home/host-inventory.ts';
import { PostgresEraseStore } from '../../../server/adapter/postgres/ops/erase-store.ts';
import { withTransaction } from '../../../server/adapter/postgres/transaction.ts';
import type { EventChannel } from '../../../server/home/follow/home-feed.ts';
import { GameHomes } from '../../../server/home/game-homes.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import type { Inventory } from '../../../server/home/model/inventory.ts';
import { limits } from '../../../server/settings/config.ts';
import { defaultCatalogue } from '../../../shared/pets/catalogue.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { lookAt, orderOf } from '../../support/game/away-home.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';
import { TOWN_TABLE, townInventory } from '../../support/town/town-inventory.ts';

const catalogue = {
  ...defaultCatalogue,
  starter: { items: { 'auto-feed': 5, 'dog-food': 1 } },
  foods: { 'dog-food': { workMs: 3_600_000, xp: 1 } },
};
const town = townInventory();

let database: HomeDatabase;
let faults: { readonly message: string; readonly error: unknown }[] = [];
let nowMs = 1_764_000_000_000;

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  await database.pool.query(TOWN_TABLE);
});
afterAll(() => database.drop());
beforeEach(() => {
  faults = [];
});

const homesOn = (inventory: Inventory, channel?: EventChannel): HomeService => {
  const { pool } = database;
  const store = new PostgresHomeStore({
    database: new Database({ pool, schema: 'kibble', nowMs: () => nowMs }),
    modules: petsModules(),
    inventory: hostInventory(inventory),
    limits: limits.transaction,
  });
  const onFault = (message: string, error: unknown) => faults.push({ message, error });
  return database.service({ store, catalogue, onFault, ...(channel && { channel }) });
};

const adopt = (playerId: string) => orderOf(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });

/** The game's own inventory, with another `apply`. */
const townThat = (apply: Inventory['apply']): Inventory => ({ load: town.load, apply });

describe("a fault of the game's own inventory", () => {
  it('is logged once with the name of its part, is told as what will fail again, and changes nothing', async () => {
    const homes = homesOn(
      townThat(async (tx, moves) => {
        await town.apply(tx, moves);
        if (moves.some(({ playerId }) => playerId === 'ann')) {
          await tx.query('insert into town_item (hero, thing, amount) values ($1, null, 1)', ['ann']);
        }
      }),
    );
    const [ann, bea] = await homes.handle([adopt('ann'), adopt('bea')]);
    expect(ann).toEqual({ ok: false, error: { code: 'inventory/refused', params: {}, retryable: false } });
    expect(bea).toMatchObject({ ok: true });
    expect(faults).toMatchObject([
      { error: { code: 'inventory/apply', retryable: false, cause: { thrown: { code: '23502' } } } },
    ]);
    expect(String(faults[0]?.error)).toMatch(
      /inventory\/apply of the game failed: error: null value in column "thing"/,
    );
    // On a connection that pipelines: nothing of the statements before the one that failed is left.
    const { rows } = await database.pool.query("select * from town_item where hero = 'ann'");
    expect(rows).toEqual([]);
    expect((await database.store.newestSeqs(['ann'])).size).toBe(0);
  });

  it('of another service is the game’s as well, not told as one that may pass', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const homes = homesOn(townThat(() => Promise.reject(away)));
    expect(await homes.handle([adopt('cleo')])).toMatchObject([
      { ok: false, error: { code: 'inventory/refused', retryable: false } },
    ]);
    expect(faults.at(-1)?.error).toMatchObject({ code: 'inventory/apply', retryable: false });
  });

  it('that passes within a moment is seen by nobody', async () => {
    let tries = 0;
    const deadlock = "do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$";
    const homes = homesOn(
      townThat((tx, moves) => {
        tries += 1;
        return tries === 1 ? tx.query(deadlock).then(() => undefined) : town.apply(tx, moves);
      }),
    );
    expect(await homes.handle([adopt('dora')])).toMatchObject([{ ok: true }]);
    expect(faults).toEqual([]);
  });

  it.each<[string, Inventory['load'], RegExp]>([
    ['throws', () => Promise.reject(new TypeError('stock.of is not a function')), /stock\.of is not a function/],
    ['answers text', townInventory('counts as text').load, /emil has "3" of dog-food/],
  ])('that %s when it loads is named, by a command and by a quote', async (_, load, reason) => {
    await database.pool.query(
      "insert into town_item (hero, thing, amount) values ('emil', 'dog-food', 3) on conflict do nothing",
    );
    const homes = homesOn({ load, apply: town.apply });
    const order = adopt('emil');
    const refused = { ok: false, error: { code: 'inventory/refused', retryable: false } };
    expect(await homes.handle([order])).toMatchObject([refused]);
    expect(await homes.quote('emil', { type: 'home:adopt', name: 'Rex', species: 'dog' })).toMatchObject(refused);
    expect(faults).toHaveLength(2);
    for (const { error } of faults) {
      expect(error).toMatchObject({ code: 'inventory/load' });
      expect(String(error)).toMatch(reason);
    }
  });

  it("comes through to the game in the game's own transaction", async () => {
    const homes = new GameHomes(
      homesOn(townThat(() => Promise.reject(new Error('the shop is closed')))),
      petsModules(),
      () => undefined,
    );
    const tx = await database.pool.connect();
    await tx.query('begin');
    const gift = { playerId: 'finn', commandId: 'a-gift-of-one', items: { 'dog-food': 1 }, reason: 'gift' };
    await expect(homes.grant([gift], { tx })).rejects.toMatchObject({
      code: 'inventory/apply',
      cause: { thrown: { message: 'the shop is closed' } },
    });
    await tx.query('rollback');
    tx.release();
  });
});

describe('food that the game gives by itself', () => {
  it('starts a chain that waits for it when the game says so, and not before', async () => {
    const service = homesOn(town);
    const homes = new GameHomes(service, petsModules(), () => undefined);
    await service.handle([adopt('gwen')]);
    const [pet] = petsOf(await lookAt(service, 'gwen'));
    const petId = pet?.petId ?? '';
    const outcomes = await service.handle([
      orderOf('gwen', { type: 'home:feed', petId, food: 'dog-food' }),
      orderOf('gwen', { type: 'home:use-card', petId, card: 'auto-feed', count: 2 }),
    ]);
    expect(outcomes).toMatchObject([{ ok: true }, { ok: true }]);
    nowMs += 2 * 3_600_000;
    expect(petsOf(await lookAt(service, 'gwen'))).toMatchObject([
      { feeding: undefined, blockedAtMs: nowMs - 3_600_000 },
    ]);
    await database.pool.query(
      `insert into town_item (hero, thing, amount) values ('gwen', 'dog-food', 1)
       on conflict (hero, thing) do update set amount = town_item.amount + 1`,
    );
    nowMs += 1000;
    const before = await database.store.newestSeqs(['gwen']);
    await homes.stockChanged(['gwen', 'gwen', 'nobody-yet']);
    const started = await database.store.events('gwen', before.get('gwen') ?? 0, 10);
    expect(started).toMatchObject([{ type: 'feeding-started', by: 'card', at: nowMs, items: { 'dog-food': -1 } }]);
    const { rows } = await database.pool.query(
      "select amount from town_item where hero = 'gwen' and thing = 'dog-food'",
    );
    expect(rows.map(({ amount }) => Number(amount))).toEqual([0]);
    await homes.stockChanged(['gwen']);
    expect(await database.store.newestSeqs(['gwen'])).toEqual(new Map([['gwen', started[0]?.seq]]));
  });
});

it('items that the game gives are shown by another process, which has them from its own look', async () => {
  let bring: Parameters<EventChannel['subscribe']>[1] = () => undefined;
  const there = homesOn(town, {
    publish: () => undefined,
    subscribe: (_player, listener) => {
      bring = listener;
      return () => undefined;
    },
  });
  const here = homesOn(town, {
    publish: (commit) => bring(JSON.parse(JSON.stringify(commit))),
    subscribe: () => () => undefined,
  });
  await here.handle([adopt('ida')]);
  const shown = Promise.withResolvers<unknown>();
  there.follow('ida', ({ home }) => {
    if (home.items['dog-food'] === 8) shown.resolve(home.seq);
  });
  const { seq } = await lookAt(there, 'ida');
  // A third process looks at this moment.
  const other = await database.pool.connect();
  const isAwaited = Promise.withResolvers<void>();
  const looking = vi.spyOn(there, 'look').mockImplementation((playerIds) => {
    looking.mockRestore();
    isAwaited.resolve();
    return there.look(playerIds);
  });
  const bringNow = bring;
  bring = async (commit) => {
    await other.query("begin; select from kibble.home where player_id = 'ida' for update");
    bringNow(commit);
  };
  await database.pool.query("update town_item set amount = 8 where hero = 'ida' and thing = 'dog-food'");
  await new GameHomes(here, petsModules(), () => undefined).stockChanged(['ida']);
  await isAwaited.promise;
  await other.query('commit');
  other.release();
  expect(await shown.promise).toBe(seq);
});

it('a move has a key of its own, also in the life after an erasure, which begins again at the first event', async () => {
  const keys: string[] = [];
  const homes = homesOn(
    townThat(async (tx, moves) => {
      await town.apply(tx, moves);
      keys.push(...moves.map(({ key }) => key));
    }),
  );
  expect(await homes.handle([adopt('hal')])).toMatchObject([{ ok: true }]);
  const erasures = new PostgresEraseStore(new Database({ pool: database.pool, schema: 'kibble' }));
  await withTransaction(database.pool, (tx) => erasures.erase(tx, 'hal'));
  expect(await homes.handle([adopt('hal')])).toMatchObject([{ ok: true }]);
  expect(keys).toEqual(['hal~1~auto-feed', 'hal~1~dog-food', 'hal~1.1~auto-feed', 'hal~1.1~dog-food']);
});
