import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { Modules } from '../../server/domain/modules.ts';
import { GameHomes } from '../../server/home/game-homes.ts';
import { limits } from '../../server/settings/config.ts';
import { OptionsRefused } from '../../shared/options/options-refused.ts';
import { petsModules } from '../../testing/pets-engine.ts';
import { puppet } from '../support/modules/puppet.ts';
import { type HomeDatabase, homeDatabase } from '../support/postgres/home-database.ts';

let database: HomeDatabase;
let homes: GameHomes;

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  homes = new GameHomes(database.service(), petsModules(), () => undefined);
});
afterAll(() => database.drop());

const stockOf = async (playerId: string, item: string): Promise<number> =>
  (await homes.look([playerId]))[0]?.home.items[item] ?? 0;

it('grants and takes once for each commandId, and never takes what is not there', async () => {
  const gift = { playerId: 'ann', commandId: 'quest-reward-7', items: { snack: 2 }, reason: 'quest' };
  expect((await homes.grant([gift]))[0]).toMatchObject({ ok: true });
  expect((await homes.grant([gift]))[0]).toMatchObject({ ok: true });
  expect(await stockOf('ann', 'snack')).toBe(2);
  const [taken, refused] = await homes.take([
    { playerId: 'ann', commandId: 'shop-sale-1', items: { snack: 2 }, reason: 'sold' },
    { playerId: 'ann', commandId: 'shop-sale-2', items: { snack: 1 }, reason: 'sold' },
  ]);
  expect(taken).toMatchObject({ ok: true, value: { events: [{ type: 'items-granted', items: { snack: -2 } }] } });
  expect(refused).toMatchObject({ ok: false, error: { code: 'item/out-of-stock', params: { have: 0, need: 1 } } });
});

it('refuses what is not right, and does the rest', async () => {
  const rex = { commandId: 'command-0', name: 'Rex', species: 'dog' };
  const outcomes = await homes.handle([
    { playerId: 'no such/player', type: 'home:adopt', payload: { ...rex, commandId: 'command-1' } },
    { playerId: 'bea', type: 'home:adopt', payload: { ...rex, commandId: 'short' } },
    // As from a game in JavaScript.
    ...['home:fly', 'toString'].map((type) => ({ playerId: 'bea', type, payload: rex }) as never),
    { playerId: 'bea', type: 'home:adopt', payload: { ...rex, commandId: 'command-2' } },
  ]);
  expect(outcomes.map((outcome) => (outcome.ok ? 'done' : outcome.error.code))).toEqual([
    'command/invalid',
    'command/invalid',
    'command/invalid',
    'command/invalid',
    'done',
  ]);
  const [, , unknown] = outcomes;
  expect(unknown).toMatchObject({
    error: { params: { faults: [{ path: 'type', message: expect.stringContaining('is no command: "home:fly"') }] } },
  });
});

it('rejects, and does not throw, if its options cannot be read', async () => {
  const thorny = Object.defineProperty({}, 'tx', {
    enumerable: true,
    get: () => {
      throw new Error('thorn');
    },
  });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const options of [thorny, proxy] as never[]) {
    const made: readonly Promise<unknown>[] = [
      homes.handle([], options),
      homes.grant([], options),
      homes.take([], options),
      homes.mustGrant([], options),
      homes.mustTake([], options),
    ];
    for (const call of made) await expect(call).rejects.toThrow(OptionsRefused);
  }
});

it('looks at very many homes in parts, so that commands find room', async () => {
  const parts: number[] = [];
  const look = async (ids: readonly string[]) => {
    parts.push(ids.length);
    return ids.map((playerId) => ({ playerId }));
  };
  const many = Array.from({ length: 1_200 }, (_, at) => `player-${at}`);
  const looked = await new GameHomes({ look } as never, petsModules(), () => undefined).look(many);
  expect(looked).toEqual(many.map((playerId) => ({ playerId })));
  expect(parts).toEqual([500, 500, 200]);
});

it('gives more to one player, and to more players, than may wait at once', async () => {
  const small = database.service({
    limits: { ...limits.writePath, pageMax: 1, waitingPerPlayer: 40, waitingTotal: 600 },
  });
  const narrow = new GameHomes(small, petsModules(), () => undefined);
  const gift = (playerId: string, at: number) => ({
    ...{ playerId, commandId: `gift-${at}-${playerId}`, items: { snack: 1 }, reason: 'season' },
  });
  const many = Array.from({ length: 700 }, (_, at) => gift(`other-${at}`, 0));
  const orders = [...Array.from({ length: 100 }, (_, at) => gift('rich', at)), ...many];
  // Sent again after a lost answer, it is done once.
  for (let times = 0; times < 2; times += 1) {
    const replies = await narrow.mustGrant(orders);
    const own = replies.slice(0, 100).map(({ seq }) => seq);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
  }
  expect(await stockOf('rich', 'snack')).toBe(100);
  expect(await stockOf('other-699', 'snack')).toBe(1);
});

it('tells the log of a schema that fails, and the caller only the refusal', async () => {
  const torn = z.object({
    bag: z.any().transform(() => {
      throw new Error('torn');
    }),
  });
  const modules = new Modules([puppet('aa', { commands: { say: torn } })]);
  const faults: unknown[] = [];
  const own = new GameHomes(database.service(), modules, (...fault) => faults.push(fault));
  const command = { playerId: 'ann', type: 'aa:say', payload: { commandId: 'command-torn', bag: 1 } };
  const [outcome] = await own.handle([command as never]);
  expect(outcome).toEqual({
    ok: false,
    error: expect.objectContaining({ code: 'module/fault', params: { module: 'aa' } }),
  });
  expect(faults).toMatchObject([['a command could not be read', { module: 'aa', rule: 'commands.aa:say' }]]);
});

it("is part of the game's own transaction", async () => {
  const tx = await database.pool.connect();
  await tx.query('begin');
  const gift = { playerId: 'cleo', commandId: 'bought-for-gems', items: { boost: 1 }, reason: 'bought' };
  const { outcomes } = await homes.grant([gift], { tx });
  expect(outcomes[0]?.ok).toBe(true);
  await tx.query('rollback');
  tx.release();
  expect((await homes.look(['cleo']))[0]?.home.seq).toBe(0);
});

it.each(['a grant', 'a quote'])(
  '%s waits for a home that another transaction is making, and finds it',
  async (which) => {
    const playerId = which.replace(' ', '-');
    const gift = { playerId, commandId: 'first-gift', items: { snack: 2 }, reason: 'quest' };
    const maker = await database.pool.connect();
    await maker.query('begin');
    await homes.grant([gift], { tx: maker });
    const tx = await database.pool.connect();
    await tx.query('begin');
    const quoted = { type: 'home:adopt', name: 'Rex', species: 'dog' } as never;
    const asked =
      which === 'a quote'
        ? database.service().quote(playerId, quoted)
        : homes.grant([{ ...gift, commandId: 'second-gift' }], { tx }).then(({ outcomes }) => outcomes[0]);
    await vi.waitFor(async () => {
      const { rowCount } = await maker.query(
        `select from pg_locks join pg_database d on d.oid = database
       where d.datname = current_database() and locktype = 'advisory' and not granted`,
      );
      if (rowCount !== 1) throw new Error('no session waits yet');
    }, 10_000);
    await maker.query('commit');
    expect(await asked).toMatchObject({ ok: true });
    await tx.query('commit');
    for (const client of [maker, tx]) client.release();
    expect(await stockOf(playerId, 'snack')).toBe(which === 'a quote' ? 2 : 4);
  },
);

it('mustGrant and mustTake throw for what is refused, in a transaction too', async () => {
  const gift = { playerId: 'mia', commandId: 'must-have-1', items: { snack: 1 }, reason: 'quest' };
  expect(await homes.mustGrant([gift])).toMatchObject([{ events: [{ type: 'items-granted' }] }]);
  const refused = { name: 'CommandRefused', code: 'item/out-of-stock', params: { have: 1, need: 5 }, playerId: 'mia' };
  const tooMuch = { ...gift, commandId: 'must-have-2', items: { snack: 5 } };
  await expect(homes.mustTake([tooMuch])).rejects.toMatchObject(refused);
  const tx = await database.pool.connect();
  await tx.query('begin');
  await expect(homes.mustTake([tooMuch], { tx })).rejects.toMatchObject(refused);
  await tx.query('rollback');
  tx.release();
});

it('names the refused order also if the caller empties its list meanwhile', async () => {
  const orders = [{ playerId: 'noah', commandId: 'emptied-01', items: { snack: 5 }, reason: 'quest' }];
  const taken = homes.mustTake(orders);
  orders.length = 0;
  await expect(taken).rejects.toMatchObject({ code: 'item/out-of-stock', playerId: 'noah' });
  const odd = { playerId: 'noah', commandId: Symbol('x') as never, items: { snack: 1 }, reason: 'quest' };
  await expect(homes.mustGrant([odd])).rejects.toMatchObject({ name: 'CommandRefused', code: 'command/invalid' });
});

const order = { playerId: 'ann', commandId: 'gift-0009', items: { snack: 1 }, reason: 'gift' };
const throwing = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error('not now');
    },
  },
);

it.each([
  ['items that throw', { ...order, items: throwing }],
  ['a reason that throws', new Proxy({ ...order }, { get: () => Reflect.ownKeys(throwing) })],
])('an order with %s is a fault of its caller', async (_, hostile) => {
  await expect(homes.grant([hostile as never])).rejects.toThrow(OptionsRefused);
  await expect(homes.take([hostile as never])).rejects.toThrow(OptionsRefused);
});

it('a command with a payload that throws is a fault of its caller', async () => {
  const command = { playerId: 'ann', type: 'home:adopt', payload: { commandId: 'adopt-it', name: throwing } };
  await expect(homes.handle([command as never])).rejects.toThrow(OptionsRefused);
});

it('a value in a payload that JSON does not have is the outcome of its command', async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  for (const name of [new Map(), 5n, () => 5, circle, Number.NaN]) {
    const command = { playerId: 'ann', type: 'home:adopt', payload: { commandId: 'adopt-it', name, species: 'dog' } };
    expect(await homes.handle([command as never])).toMatchObject([{ ok: false, error: { code: 'command/invalid' } }]);
  }
});
