import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import type { Inventory } from '../../../server/home/model/inventory.ts';
import { type OpsServer, startOpsServer, why } from '../../support/game/ops-server.ts';

let server: OpsServer;
beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'));
});
afterAll(() => server.close());

const adopt = (playerId: string) => server.play(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
const merge = (from: string, into: string) => server.ask('merge', { playerId: from }, why({ into }));

it('a merge into a home that was merged away is refused, and goes where nothing closed it', async () => {
  for (const playerId of ['ann', 'bea', 'cleo']) await adopt(playerId);
  expect(await merge('ann', 'bea')).toMatchObject({ status: 200 });
  expect((await merge('bea', 'ann')).body).toMatchObject({ code: 'player/merged', params: { playerId: 'ann' } });
  expect(await merge('bea', 'cleo')).toMatchObject({ status: 200 });
});

it('of two operators at once who merge two homes into each other one is refused', async () => {
  await adopt('dora');
  await adopt('emil');
  const both = await Promise.all([merge('dora', 'emil'), merge('emil', 'dora')]);
  expect(both.map(({ status, body }) => (status === 200 ? 'merged' : body.code)).sort()).toEqual([
    'merged',
    'player/merged',
  ]);
});

it('a home that an operator opened again is merged into', async () => {
  await adopt('finn');
  await adopt('gil');
  await merge('finn', 'gil');
  await server.ask('unfreeze', { playerId: 'finn' }, why());
  expect(await merge('gil', 'finn')).toMatchObject({ status: 200 });
});

it('more of an item than can be counted is not merged', async () => {
  const most = 1_000_000_000;
  await adopt('hal');
  await adopt('ida');
  await server.ask('grant', { playerId: 'hal' }, why({ items: { snack: most } }));
  await server.pool.query(
    "update kibble.home set items = jsonb_set(items, '{dog-food}', to_jsonb($1::bigint)) where player_id = 'ida'",
    [Number.MAX_SAFE_INTEGER],
  );
  expect((await merge('hal', 'ida')).body).toMatchObject({ code: 'item/too-many', params: { item: 'dog-food' } });
});

it('the game’s own inventory hears of an erase and a merge, in their transaction', async () => {
  const told: unknown[] = [];
  const inventory: Inventory = {
    load: async () => new Map(),
    apply: async () => undefined,
    erase: async (tx, playerIds) => void told.push(['erase', playerIds, (await tx.query('select 1')).rowCount]),
    merge: async (tx, players) => void told.push(['merge', players, (await tx.query('select 1')).rowCount]),
  };
  const own = await startOpsServer(inject('postgresUrl'), { inventory });
  onTestFinished(() => own.close());
  for (const playerId of ['ann', 'bea']) await own.play(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
  expect(await own.ask('merge', { playerId: 'ann' }, why({ into: 'bea' }))).toMatchObject({ status: 200 });
  expect(await own.ask('erase', { playerId: 'ann' }, why())).toMatchObject({ status: 200 });
  expect(told).toEqual([
    ['merge', { from: 'ann', into: 'bea' }, 1],
    ['erase', ['ann'], 1],
  ]);
});

it('an inventory that fails in an erase fails the erase, by name', async () => {
  const inventory: Inventory = {
    load: async () => new Map(),
    apply: async () => undefined,
    erase: () => Promise.reject(Object.create(null)),
  };
  const own = await startOpsServer(inject('postgresUrl'), { inventory });
  onTestFinished(() => own.close());
  await own.play('ann', { type: 'home:adopt', name: 'Rex', species: 'dog' });
  expect((await own.ask('erase', { playerId: 'ann' }, why())).body).toMatchObject({ code: 'inventory/refused' });
  expect(await own.ask('player', { playerId: 'ann' })).toMatchObject({ status: 200 });
});

it('a home stays merged away when the other one is erased', async () => {
  for (const playerId of ['kim', 'leo', 'max']) await adopt(playerId);
  await merge('kim', 'leo');
  await server.ask('erase', { playerId: 'leo' }, why());
  expect((await merge('max', 'kim')).body).toMatchObject({ code: 'player/merged', params: { playerId: 'kim' } });
  await server.ask('unfreeze', { playerId: 'kim' }, why());
  expect(await merge('max', 'kim')).toMatchObject({ status: 200 });
});
