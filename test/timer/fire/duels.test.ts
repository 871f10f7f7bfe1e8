// Row 9 of the promises, on a real Postgres: a card and the fire of the same feeding meet within five milliseconds.

import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import { limits } from '../../../server/settings/config.ts';
import { type Catalogue, defaultCatalogue } from '../../../shared/pets/catalogue.ts';
import type { Command, HomeEvent } from '../../../shared/pets/protocol.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { type Random, randomOf } from '../../chaos/play/random.ts';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { silentLog } from '../../support/log/logs.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';
import { prove } from '../../support/properties/prove.ts';

const PLAYERS = tries({ test: 5, proof: 100 });
/** Those of a round share one or two transactions, hence their times, and win together: in 20 rounds the cards won one. */
const ROUNDS = 100;
const DUELS = PLAYERS * ROUNDS;
const START_MS = 1_790_000_000_000;
const WITHIN_MS = 5;
const WORK_MS = 1_000;
const SEED = 9;

/** Cards that end it at once, a little sooner, a little later than they come, or hardly sooner. */
const cards = {
  gulp: { effect: 'cut', workMs: 700 },
  sip: { effect: 'cut', workMs: 3 },
  dash: { effect: 'rate', rate: 3, lastsMs: 2 },
  sprint: { effect: 'rate', rate: 2, lastsMs: 600 },
} as const satisfies Catalogue['cards'];
const names = ['gulp', 'sip', 'dash', 'sprint'] as const;
const isCard = (name: string): name is keyof typeof cards => Object.hasOwn(cards, name);
const catalogue: Catalogue = {
  ...defaultCatalogue,
  foods: { meal: { workMs: WORK_MS, xp: 1 } },
  cards,
  starter: { items: { meal: 1, gulp: 3, sip: 3, dash: 3, sprint: 3 } },
};

/** Two services, each with its own connections like two processes, and with `nowMs` as their clock. */
const twoServices = (database: HomeDatabase, nowMs: () => number) => {
  const pools = [0, 1].map(() =>
    createPool({ url: String(database.pool.options.connectionString), max: 4, log: silentLog }),
  );
  const services = pools.map((pool) => {
    const modules = petsModules(catalogue);
    const store = new PostgresHomeStore({
      database: new Database({ pool, schema: 'kibble', nowMs }),
      modules,
      limits: limits.transaction,
    });
    return database.service({ store, catalogue, onFault: () => undefined });
  });
  return { services, stop: () => Promise.all(pools.map((pool) => pool.end())) };
};

/** Eats millisecond by millisecond, with the cards that the log has; when the bowl was empty first. */
const emptyAtMs = (log: readonly HomeEvent[]): number => {
  const started = log.find(({ type }) => type === 'feeding-started');
  const played = log.filter((event) => event.type === 'card-used');
  let [now, left, rate, fastUntil] = [started?.at ?? Number.NaN, WORK_MS, 1, 0];
  for (;;) {
    // A card of this instant comes too late.
    if (left <= 0 || Number.isNaN(now)) return now;
    for (const { card: name } of played.filter(({ at }) => at === now)) {
      const card = isCard(name) ? cards[name] : undefined;
      if (card?.effect === 'cut') left -= card.workMs;
      if (card?.effect === 'rate') {
        fastUntil = Math.max(now, fastUntil) + card.lastsMs;
        rate = card.rate;
      }
    }
    if (left <= 0) return now;
    left -= now < fastUntil ? rate : 1;
    now += 1;
  }
};

let database: HomeDatabase;
beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

const playerOf = (at: number, round: number): string => `duel-${round}-${at}`;
const orderOf = (playerId: string, command: Command) => ({
  playerId,
  commandId: `${playerId}-${command.type}`,
  command,
});

/** A card of each player and the fire of its feeding, now these first, now those. Returns the players of accepted cards. */
const meet = async ([first, second]: readonly HomeService[], players: readonly string[], random: Random) => {
  const shuffled = players.map((playerId) => ({ playerId, place: random.next() })).sort((a, b) => a.place - b.place);
  const fire = () => Promise.all(shuffled.map(({ playerId }) => second?.settle([playerId])));
  const fired = random.next() < 0.5 ? fire() : undefined;
  const played = first?.handle(
    players.map((playerId) =>
      orderOf(playerId, { type: 'home:use-card', petId: `${playerId}~p2`, card: random.pick(names) }),
    ),
  );
  const [outcomes] = await Promise.all([played, fired ?? fire()]);
  const refused = outcomes?.flatMap((outcome) => (outcome.ok ? [] : outcome.error.code)) ?? [];
  expect(refused.filter((code) => code !== 'feeding/already-done')).toEqual([]);
  return new Set(players.filter((_, at) => outcomes?.[at]?.ok));
};

it(`completes each of ${DUELS} feedings to the millisecond, whether its card or its fire came first`, {
  timeout: HANG_MS,
}, async (context) => {
  const random = randomOf(SEED);
  let [nowMs, aroundMs] = [START_MS, 0];
  // Each transaction has a time of its own, some before the feeding is due and some after.
  const clock = () => nowMs - aroundMs + random.below(2 * aroundMs + 1);
  const { services, stop } = twoServices(database, clock);
  const [first] = services;
  let [accepted, differenceMs] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    const players = Array.from({ length: PLAYERS }, (_, at) => playerOf(at, round));
    const adopt: Command = { type: 'home:adopt', name: 'Rex', species: 'dog' };
    await first?.handle(players.map((playerId) => orderOf(playerId, adopt)));
    await first?.handle(
      players.map((playerId) => orderOf(playerId, { type: 'home:feed', petId: `${playerId}~p2`, food: 'meal' })),
    );
    nowMs += WORK_MS;
    aroundMs = WITHIN_MS;
    const winners = await meet(services, players, random);
    accepted += winners.size;
    aroundMs = 0;
    nowMs += 10 * WORK_MS;
    await Promise.all(players.map((playerId) => first?.settle([playerId])));
    for (const playerId of players) {
      const synced = await first?.sync(playerId, { afterSeq: 0 });
      const log = synced?.ok ? (synced.value.events as readonly HomeEvent[]) : [];
      const completed = log.filter(({ type }) => type === 'feeding-completed');
      expect(completed).toHaveLength(1);
      expect(log.filter(({ type }) => type === 'card-used')).toHaveLength(winners.has(playerId) ? 1 : 0);
      differenceMs += Math.abs((completed[0]?.at ?? Number.NaN) - emptyAtMs(log));
    }
  }
  await stop();
  expect(differenceMs).toBe(0);
  // Both have won often.
  expect(accepted).toBeGreaterThan(DUELS / 10);
  expect(accepted).toBeLessThan(DUELS - DUELS / 10);
  const { rows } = await database.pool.query(`select count(*)::int as left from kibble.timers`);
  expect(rows).toEqual([{ left: 0 }]);
  const seen = `${accepted} cards came before the fire; difference ${differenceMs} ms`;
  prove(context, { row: 9, tries: DUELS, of: 'duels of card and fire within 5 ms', seen });
});
