import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Consumer } from '../../server/home/log/consumer.ts';
import type { Inventory } from '../../server/home/model/inventory.ts';
import { pets } from '../../server/kibble.ts';
import type { Rules, Shapes } from '../../shared/module/module.ts';
import { type OpsServer, startOpsServer, why } from '../support/game/ops-server.ts';
import { hooked } from '../support/modules/puppet.ts';
import { prove } from '../support/properties/prove.ts';
import { type CallbacksOf, hostileReturns, hostileThrows, rejectedList } from './hostile.ts';

type Place =
  | `inventory.${CallbacksOf<Inventory>}`
  | `consumer.${CallbacksOf<Consumer>}`
  | `module.${Extract<keyof Rules<object, Shapes, Shapes>, 'inTransaction'>}`;

/** A call through each place of the wall, and the player's reply. A place without a row does not compile. */
const rows = {
  'inventory.load': { act: (player) => adopt(player), code: 'inventory/refused' },
  'inventory.apply': { act: (player) => adopt(player), code: 'inventory/refused' },
  'inventory.erase': { act: (player) => asked('erase', player, {}), code: 'inventory/refused' },
  'inventory.merge': {
    act: (player) => asked('merge', player, { into: `${player}-into`, isNew: true }),
    code: 'inventory/refused',
  },
  'module.inTransaction': { act: (player) => adopt(player), code: 'module/fault' },
  'consumer.handle': { act: (player) => adopt(player), code: undefined },
} satisfies Record<Place, { act(player: string): Promise<string | undefined>; code: string | undefined }>;

/** The place that is hostile now, and how; for the player `bad` alone. */
let hostile: { readonly place: Place; readonly act: () => unknown } | undefined;
const meet = (place: Place, players: readonly string[]): unknown =>
  hostile?.place === place && players.some((player) => player.startsWith('bad')) ? hostile.act() : undefined;

const stocks = new Map<string, Record<string, number>>();
const inventory: Inventory = {
  load: async (_, playerIds) =>
    (meet('inventory.load', playerIds) as never) ?? new Map(playerIds.map((id) => [id, { ...stocks.get(id) }])),
  apply: async (_, moves) =>
    meet(
      'inventory.apply',
      moves.map(({ playerId }) => playerId),
    ) as never,
  erase: async (_, playerIds) => meet('inventory.erase', playerIds) as never,
  merge: async (_, { from }) => meet('inventory.merge', [from]) as never,
};
const singing = hooked(
  async (_, changes) =>
    meet(
      'module.inTransaction',
      changes.map(({ playerId }) => playerId),
    ) as never,
  ['first'],
);
const heard: string[] = [];
const consumer: Consumer = {
  name: 'quests',
  from: 'oldest',
  handle: async (events) => {
    const players = events.map(({ playerId }) => playerId);
    await meet('consumer.handle', players);
    heard.push(...players);
  },
};

let server: OpsServer;
const lost: unknown[] = [];
const note = (reason: unknown): void => void lost.push(reason);
beforeAll(async () => {
  process.on('unhandledRejection', note);
  server = await startOpsServer(inject('postgresUrl'), {
    inventory,
    consumers: [consumer],
    modules: [pets(), singing],
  });
});
afterAll(async () => {
  await server.close();
  process.off('unhandledRejection', note);
});
beforeEach(() => {
  hostile = undefined;
  lost.length = 0;
});

let players = 0;
const adopt = async (playerId: string): Promise<string | undefined> => {
  const command = { type: 'home:adopt', name: 'Rex', species: 'dog' };
  const [outcome] = await server.kibble.service.handle([{ playerId, commandId: `wall-${playerId}`, command }]);
  return outcome?.ok ? undefined : outcome?.error.code;
};
const asked = async (act: 'erase' | 'merge', playerId: string, body: object): Promise<string | undefined> => {
  const current = hostile;
  hostile = undefined;
  await adopt(playerId);
  hostile = current;
  const { status, body: told } = await server.ask(act, { playerId }, why(body));
  return status === 200 ? undefined : told.code;
};

it('an async follower that rejects ends nothing', async () => {
  const stop = server.kibble.service.follow('followed', (async () => {
    throw undefined;
  }) as never);
  expect(await adopt('followed')).toBeUndefined();
  stop();
  await new Promise((resolve) => setImmediate(resolve));
  expect(lost).toEqual([]);
});

const throwing = hostileThrows.flatMap(({ what, make }) => [
  {
    what: `throws ${what}`,
    act: (): never => {
      throw make();
    },
  },
  { what: `rejects with ${what}`, act: () => Promise.reject(make()) },
]);

describe.each(Object.keys(rows) as Place[])('%s', (place) => {
  it.for(throwing)('that $what is named and hurts its player alone', async ({ act }, context) => {
    players += 1;
    hostile = { place, act };
    const [bad, good] = await Promise.all([rows[place].act(`bad-${players}`), adopt(`good-${players}`)]);
    expect([bad, good]).toEqual([rows[place].code, undefined]);
    if (place === 'consumer.handle') {
      await server.kibble.runDue();
      expect(server.warned.at(-1)).toMatchObject({
        consumer: 'quests',
        code: 'consumer/handle',
        err: expect.any(Error),
      });
      hostile = undefined;
      server.clock.advance(60_000);
      await server.kibble.runDue();
      expect(heard).toContain(`bad-${players}`);
    }
    expect(lost.length).toBe(0);
    prove(context, { row: 30, tries: 1, of: 'hostile returns and throws of callbacks' });
  });
});

const stocksOf = [
  ...hostileReturns.filter(({ what }) => !/^(null|a number|an object without a prototype)$/.test(what)),
  { what: 'a list of rejected promises', make: rejectedList },
];
it.each(stocksOf)('a stock of an inventory that is $what is the inventory’s fault', async ({ make }) => {
  players += 1;
  hostile = { place: 'inventory.load', act: () => new Map([[`bad-${players}`, { coin: make() as never }]]) };
  expect(await adopt(`bad-${players}`)).toBe('inventory/refused');
  hostile = { place: 'inventory.load', act: make };
  expect(await adopt(`bad-${players}`)).toBe('inventory/refused');
  expect(lost.length).toBe(0);
});

it.for(throwing)('an operator who reads a player whose stock $what gets a refusal', async ({ act }) => {
  players += 1;
  const parts = { playerId: `bad-${players}` };
  await adopt(parts.playerId);
  hostile = { place: 'inventory.load', act };
  for (const read of ['player', 'exportPlayer'] as const) {
    expect(await server.ask(read, parts)).toMatchObject({ status: 409, body: { code: 'inventory/refused' } });
  }
  expect(lost.length).toBe(0);
});
