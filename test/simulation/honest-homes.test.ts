import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { Database } from '../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../server/adapter/postgres/home/home-store.ts';
import { HomeService } from '../../server/home/home-service.ts';
import type { HomeStore } from '../../server/home/model/home-store.ts';
import type { HomeOrder } from '../../server/home/model/homes.ts';
import { limits } from '../../server/settings/config.ts';
import { newHome } from '../../shared/home.ts';
import { commandArbitrary, commandOf } from '../../testing/arbitraries.ts';
import { HANG_MS, tries } from '../proof/table/tries.ts';
import { type HomeDatabase, homeDatabase } from '../support/postgres/home-database.ts';
import { prove } from '../support/properties/prove.ts';
import { catalogue, modules, ofField } from './history.ts';
import { Kernel, START_MS } from './world/kernel.ts';
import { SimDatabase } from './world/sim-database.ts';
import { CHANCE, SECRET, SimHomeStore } from './world/sim-home-store.ts';
import { SimProcess } from './world/sim-process.ts';
import { Wire } from './world/wire.ts';

const PLAYERS = tries({ test: 400, proof: 2000 });
const ROUNDS = 12;
const SEED = 20;

let real: HomeDatabase;
beforeAll(async () => {
  real = await homeDatabase(inject('postgresUrl'));
});
afterAll(() => real.drop());

const serviceOn = (store: HomeStore): HomeService =>
  new HomeService({
    modules,
    store,
    updateIndex: () => undefined,
    clock: systemClock,
    limits: { ...limits.writePath, pageMax: 500 },
    onFault: (_message, error) => {
      throw error;
    },
  });

/** Each player plays a sequence of its own; all take a step together, in both worlds at the same time. */
it(`answers, logs and schedules what Postgres does, in ${PLAYERS} sequences of commands`, {
  timeout: HANG_MS,
}, async (context) => {
  const kernel = new Kernel(SEED);
  const database = new SimDatabase(kernel, 0);
  const wire = new Wire({ kernel, name: 'Postgres', usualMs: 0 });
  const process = new SimProcess(kernel, 'node', 0);
  // Both worlds draw by one secret.
  await real.pool.query('update kibble.epoch set epoch = $1, secret = $2', [CHANCE.epoch, SECRET]);
  await real.timers.registerKinds(
    modules.all.map(({ name, timerKind }) => ({ kind: timerKind, retentionMs: undefined, module: name })),
  );
  const simulated = serviceOn(new SimHomeStore({ process, database, wire, modules }));
  let nowMs = START_MS;
  const actual = serviceOn(
    new PostgresHomeStore({
      database: new Database({ pool: real.pool, schema: 'kibble', nowMs: () => nowMs }),
      modules,
      limits: limits.transaction,
    }),
  );
  const sketches = fc.sample(
    fc.tuple(fc.oneof({ weight: 4, arbitrary: commandArbitrary }, ofField), fc.integer({ min: 0, max: 900 })),
    {
      numRuns: PLAYERS * ROUNDS,
      seed: SEED,
    },
  );
  const before = new Map<number, HomeOrder>();
  let repeated = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    nowMs += 1 + (sketches[round]?.[1] ?? 0);
    await kernel.run(nowMs);
    const orders = Array.from({ length: PLAYERS }, (_, player): HomeOrder => {
      const playerId = `player-${player}`;
      const home = database.homes.get(playerId)?.home ?? { ...newHome(playerId), items: catalogue.starter.items };
      // Every seventh says its last one again, every other seventh its id with another command.
      const last = before.get(player);
      const isAgain = round % 2 === 1 && player % 7 === 0;
      if (isAgain && player % 14 === 0 && last) return last;
      const commandId = `command-${isAgain ? round - 1 : round}`;
      const [sketch] = sketches[round * PLAYERS + player] ?? [];
      if (!sketch) throw new Error('too few sketches');
      const command = 'bed' in sketch ? sketch : commandOf(sketch, catalogue, home);
      const order = { playerId, commandId, command };
      before.set(player, order);
      return order;
    });
    const said = simulated.handle(orders);
    await kernel.run(nowMs + 0.001);
    const answers = await actual.handle(orders);
    expect(await said).toEqual(answers);
    if (round % 2 === 1) repeated += answers.filter(({ ok }, player) => ok && player % 14 === 0).length;
  }
  // The first answers, again.
  expect(repeated).toBeGreaterThan(PLAYERS / 14);
  const rows = await real.pool.query<{ player_id: string; events: string }>(
    `select player_id, count(*) as events from kibble.event group by player_id`,
  );
  expect(rows.rows.length).toBe(database.homes.size);
  for (const [playerId, { events, home }] of database.homes) {
    expect(await actual.sync(playerId, { afterSeq: 0 })).toMatchObject({ value: { seq: home.seq, events } });
  }
  const timers = await real.pool.query<{ row: string }>(`select subject || ' ' || due_at as row from kibble.timers`);
  const simulatedTimers = database.timers.scheduled().map(({ subject, dueAtMs }) => `${subject} ${dueAtMs}`);
  expect(simulatedTimers.sort()).toEqual(timers.rows.map(({ row }) => row).sort());
  prove(context, { row: 4, tries: PLAYERS, of: 'sequences of commands, on fakes and on Postgres' });
});
