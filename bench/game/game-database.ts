import type { Pool } from 'pg';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { Database } from '../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../server/adapter/postgres/home/home-store.ts';
import { createPool } from '../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import { HomeService } from '../../server/home/home-service.ts';
import type { HomeMeasure } from '../../server/home/model/home-measurement.ts';
import type { HomeOrder } from '../../server/home/model/homes.ts';
import type { WritePathLimits } from '../../server/home/write/write-path-options.ts';
import { limits as bounds } from '../../server/settings/config.ts';
import { ClockGuard } from '../../server/timer/clock/clock-guard.ts';
import type { IndexChanges } from '../../server/timer/model/index-entry.ts';
import { type Catalogue, defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { silentLog } from '../../test/support/log/logs.ts';
import { createDatabase, type TestDatabase } from '../../test/support/postgres/postgres-server.ts';
import { petsModules } from '../../testing/pets-engine.ts';
import { SCHEMA, type Stores } from '../harness/stores.ts';

const PLAYERS_A_CALL = 2000;

interface Game {
  readonly pool: Pool;
  readonly homes: HomeService;
  readonly timers: PostgresTimerStore;
}

interface GameOptions {
  readonly pool: Pool;
  readonly limits: Pick<WritePathLimits, 'batchSize' | 'parallelBatches'>;
  readonly updateIndex: (changes: IndexChanges) => void;
  /** Default: nothing is measured. */
  readonly measure?: HomeMeasure;
}

/** The service as the server has it, on a pool that pipelines. */
export const gameOn = ({ pool, limits, updateIndex, ...measured }: GameOptions): Game => {
  const time = new ClockGuard(systemClock);
  const timers = new PostgresTimerStore(new Database({ pool, schema: SCHEMA, time }));
  const store = new PostgresHomeStore({
    database: new Database({ pool, schema: SCHEMA, time }),
    modules: petsModules(),
    limits: { statementMs: 3000, lockMs: 1000, idleInTransactionMs: 2000 },
  });
  const homes = new HomeService({
    modules: petsModules(catalogue),
    store,
    updateIndex,
    ...measured,
    clock: systemClock,
    limits: { ...bounds.writePath, pageMax: bounds.events.pageMax, ...limits },
    onFault: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  return { pool, homes, timers };
};

export const poolOf = (url: string, connections: number): Pool => createPool({ url, max: connections, log: silentLog });

/** A database in which each player has done what `ordersOf` says, until the stores drop it. */
export const seedGame = async (
  stores: Stores,
  players = PLAYERS,
  ordersOf: (player: number) => readonly HomeOrder[] = openingOrders,
): Promise<TestDatabase> => {
  const database = await stores.migrated();
  const pool = poolOf(database.url, 4);
  const limits = { batchSize: 256, parallelBatches: 4 };
  const { homes } = gameOn({ pool, limits, updateIndex: () => undefined });
  for (let from = 0; from < players; from += PLAYERS_A_CALL) {
    const numbers = Array.from({ length: Math.min(PLAYERS_A_CALL, players - from) }, (_, at) => from + at);
    const outcomes = await homes.handle(numbers.flatMap((number) => ordersOf(number)));
    if (!outcomes.every((outcome) => outcome.ok)) throw new Error('a player could not be made');
  }
  await pool.query('vacuum analyze');
  await pool.query('checkpoint');
  await pool.end();
  return database;
};

/** A copy of a seeded database, used once: every measurement starts from the same rows. */
export const onCopy = async <Answer>(seeded: TestDatabase, work: (url: string) => Promise<Answer>): Promise<Answer> => {
  const copy = await createDatabase(seeded.url, new URL(seeded.url).pathname.slice(1));
  try {
    return await work(copy.url);
  } finally {
    await copy.drop();
  }
};

const HOUR_MS = 3_600_000;

/** As in the game, but with food for as many cards as a bench can play: each card moves a timer. */
const catalogue: Catalogue = {
  ...defaultCatalogue,
  starter: { items: { feast: 1, 'speed-up': 500, boost: 500, 'auto-feed': 3 } },
  foods: { ...defaultCatalogue.foods, feast: { workMs: 4000 * HOUR_MS, xp: 10 } },
};

export const PLAYERS = 20_000;

const playerId = (number: number): string => `bench-player-${number}`;
const petIdOf = (player: string): string => `${player}~p2`;

/** The orders that make one player: the starter items, and a pet that eats. */
export const openingOrders = (number: number): readonly HomeOrder[] => {
  const player = playerId(number);
  return [
    { playerId: player, commandId: 'adopt-it', command: { type: 'home:adopt', name: 'Rex', species: 'dog' } },
    { playerId: player, commandId: 'feed-it!', command: { type: 'home:feed', petId: petIdOf(player), food: 'feast' } },
  ];
};

/** A prime, so coprime to each number of players. */
const STRIDE = 7_919;

/** Visits all players in an order that no page and no index has. */
export const playerAt = (number: number, players: number): number => (number * STRIDE) % players;

/** The cards of a bench in order: speed-up and boost in turn; each player's turn comes once in `players`. */
export const cardOrder = (number: number, players = PLAYERS): HomeOrder => {
  const player = playerId(playerAt(number, players));
  const isBoost = (number + Math.floor(number / players)) % 2 === 0;
  return {
    playerId: player,
    commandId: `card-${number}-of-the-bench`,
    command: { type: 'home:use-card', petId: petIdOf(player), card: isBoost ? 'boost' : 'speed-up' },
  };
};
