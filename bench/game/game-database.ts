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
import { silentLog } from '../../test/support/log/silent-log.ts';
import { createDatabase, type TestDatabase } from '../../test/support/postgres/postgres-server.ts';
import { petsModules } from '../../testing/pets-engine.ts';
import { createMigrated, SCHEMA } from '../harness/migrated.ts';
import { catalogue, openingOrders, PLAYERS } from './players.ts';

const PLAYERS_A_CALL = 2000;

export interface Game {
  readonly pool: Pool;
  readonly homes: HomeService;
  readonly timers: PostgresTimerStore;
}

interface GameOptions {
  readonly pool: Pool;
  readonly limits: Pick<WritePathLimits, 'batchSize' | 'parallelBatches'>;
  readonly updateIndex: (changes: IndexChanges) => void;
  /** Default: nobody measures. */
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

/** A database in which each player has done what `ordersOf` says. Nobody stays connected: it is there to be copied. */
export const seedGame = async (
  serverUrl: string,
  players = PLAYERS,
  ordersOf: (player: number) => readonly HomeOrder[] = openingOrders,
): Promise<TestDatabase> => {
  const database = await createMigrated(serverUrl);
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
