import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { Database } from '../../server/adapter/postgres/database.ts';
import { fromCheckpoint } from '../../server/adapter/postgres/home/home-rows.ts';
import { PostgresHomeStore } from '../../server/adapter/postgres/home/home-store.ts';
import { PostgresRetainedStore } from '../../server/adapter/postgres/home/retained-store.ts';
import { PostgresOpsReads } from '../../server/adapter/postgres/ops/ops-reads.ts';
import { PostgresVerifyStore } from '../../server/adapter/postgres/ops/verify-store.ts';
import type { CheckpointHome } from '../../server/adapter/postgres/schema/home-entities.ts';
import { withTransaction } from '../../server/adapter/postgres/transaction.ts';
import { fold } from '../../server/domain/evolve.ts';
import { Modules } from '../../server/domain/modules.ts';
import type { HomeService } from '../../server/home/home-service.ts';
import { homeDifferences } from '../../server/ops/offline/verify.ts';
import { limits } from '../../server/settings/config.ts';
import { newHome } from '../../shared/home.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { defineModule } from '../../shared/module/module.ts';
import { silentLog } from '../support/log/logs.ts';
import { type HomeDatabase, homeDatabase } from '../support/postgres/home-database.ts';

/** Counts what it is told, without a thing. */
const tally = defineModule({
  name: 'tally',
  thing: z.object({}),
  initial: {},
  events: { counted: z.object({}) },
  commands: { count: z.object({ name: z.string(), to: z.number() }) },
}).rules({
  decide: {
    count: ({ payload: { name, to }, newId }) => [{ type: 'counted', thing: newId, counters: { [name]: to } }],
  },
  evolve: { counted: () => undefined },
});

const modules = new Modules([tally]);
let database: HomeDatabase;
let homes: HomeService;
let store: PostgresHomeStore;
let sent = 0;

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  store = new PostgresHomeStore({ database: on(), modules, limits: limits.transaction });
  homes = database.service({ modules, store, onFault: () => undefined });
});
afterAll(() => database.drop());

const on = () => new Database({ pool: database.pool, schema: 'kibble' });

const count = async (playerId: string, name: string, to: number) => {
  const command = { type: 'tally:count', name, to };
  const [outcome] = await homes.handle([{ playerId, commandId: `command-${++sent}`, command }]);
  return outcome;
};
const seen = async (playerId: string) => (await homes.look([playerId]))[0]?.home;
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
const differences = async () => {
  const players = await new PostgresVerifyStore({ database: on(), modules }).read({
    after: '',
    upTo: 'zzz',
    players: 9,
  });
  return players.flatMap((player) => homeDifferences(modules, player));
};

it('are in the row what the log says, also names that every object has', async () => {
  for (const [name, to] of [
    ['a', 1],
    ['constructor', 2],
    ['__proto__', 3],
    ['a', 4],
    ['b', 5],
    ['b', 0],
  ] as const) {
    expect(await count('ann', name, to)).toMatchObject({ ok: true });
  }
  const home = await seen('ann');
  expect(home?.counters).toEqual(fold(modules, newHome('ann'), await store.events('ann', 0, 100)).counters);
  expect(Object.entries(home?.counters.tally ?? {}).sort()).toEqual([
    ['__proto__', 3],
    ['a', 4],
    ['constructor', 2],
  ]);
  expect(await differences()).toEqual([]);
});

it('that cannot be refuse their command, and change nothing', async () => {
  await count('bea', 'a', 1);
  for (const to of [-1, 0.5, Number.MAX_SAFE_INTEGER + 1]) {
    expect(await count('bea', 'a', to)).toMatchObject({ ok: false, error: { code: 'module/fault' } });
  }
  expect(plain((await seen('bea'))?.counters)).toEqual({ tally: { a: 1 } });
});

it('go with a guest: the higher value holds, in the rows as in the log', async () => {
  for (const [player, name, to] of [
    ['gast', 'a', 3],
    ['gast', 'b', 1],
    ['cleo', 'a', 2],
    ['cleo', 'c', 9],
  ] as const) {
    await count(player, name, to);
  }
  const order = { guestId: 'gast', accountId: 'cleo', commandId: 'merge-001', by: 'ada', reason: 'one player' };
  const { afterCommit } = await withTransaction(database.pool, (tx) => homes.mergeIn(tx, order));
  afterCommit();
  expect(plain((await seen('cleo'))?.counters)).toEqual({ tally: { a: 3, b: 1, c: 9 } });
  expect(await differences()).toEqual([]);
});

it('stay when the log is folded away, and are in an export', async () => {
  await count('dan', 'a', 7);
  const retained = new PostgresRetainedStore({ database: on(), modules, log: silentLog });
  while ((await store.events('dan', 0, 10)).length > 0) await retained.foldEvents(LATEST_MS, 100);
  const { rows } = await database.pool.query<{ home: CheckpointHome }>(
    `select home from kibble.checkpoint where player_id = 'dan'`,
  );
  expect(rows.map(({ home }) => plain(fromCheckpoint(modules, home).counters))).toEqual([{ tally: { a: 7 } }]);
  // One that an earlier version wrote has none.
  const { counters: _, ...earlier } = rows[0]?.home ?? ({} as CheckpointHome);
  expect(fromCheckpoint(modules, earlier as CheckpointHome).counters).toEqual({});
  const everything = await new PostgresOpsReads({ database: on(), modules }).everything('dan');
  expect(everything).toMatchObject({ home: { counters: { tally: { a: 7 } } } });
});
