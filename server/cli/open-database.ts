import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Catalogue, defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { embeddedUrl } from '../adapter/embedded-postgres/postmaster.ts';
import { random } from '../adapter/machine/random.ts';
import { systemClock } from '../adapter/machine/system-clock.ts';
import { Database } from '../adapter/postgres/database.ts';
import { PostgresHomeStore } from '../adapter/postgres/home/home-store.ts';
import { PostgresVerifyStore } from '../adapter/postgres/ops/verify-store.ts';
import { createPool } from '../adapter/postgres/pool.ts';
import { poolerFault } from '../adapter/postgres/schema/check-pool.ts';
import { beginEpoch, readEpoch } from '../adapter/postgres/schema/epoch.ts';
import { migrateOn, pendingOn } from '../adapter/postgres/schema/migrate.ts';
import { PostgresClockRecord } from '../adapter/postgres/timer/clock-record.ts';
import { PostgresGenerations } from '../adapter/postgres/timer/generations.ts';
import { PostgresTimerStore } from '../adapter/postgres/timer/timer-store.ts';
import { RedisDueIndex } from '../adapter/redis/index/redis-due-index.ts';
import { createRedisClient } from '../adapter/redis/link/redis-client.ts';
import { ModuleMissing } from '../domain/module-fault.ts';
import { Modules } from '../domain/modules.ts';
import { seed } from '../ops/offline/seed.ts';
import { verify } from '../ops/offline/verify.ts';
import { verifyIndex } from '../ops/offline/verify-index.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import { type CommandSettings, limits } from '../settings/config.ts';
import { parseRulesFile, pets, RulesRefused, TOWN, works } from '../settings/rules.ts';
import { ClockGuard } from '../timer/clock/clock-guard.ts';
import { StartRefused } from '../wiring/explain-start.ts';
import { sessionsOnRight } from '../wiring/right-to-run.ts';
import type { Terminal } from './console/terminal.ts';
import type { OpenedDatabase } from './database-commands.ts';

const CONNECTIONS = 6;
/** Index updates in progress at the first read have arrived before the second. */
const SECOND_LOOK_MS = 1000;

/** The database of the settings, or the running embedded one. Throws `StartRefused` if there is none. */
export const openDatabase = async (settings: CommandSettings, terminal: Terminal): Promise<OpenedDatabase> => {
  const { schema, dataDir, rulesFile } = settings;
  const log: EngineLog = { info: () => undefined, warn: () => undefined, error: (_, said) => terminal.note(`${said}`) };
  const url = settings.databaseUrl ?? embeddedUrl(path.resolve(dataDir));
  if (url === undefined) {
    throw new StartRefused('DATABASE_URL must be set: no server is running on DATA_DIR whose database could be used');
  }
  const pool = createPool({ url, max: CONNECTIONS, log });
  await pool.query('select 1').catch((error: Error) => {
    const unanswered = `DATABASE_URL does not answer (${error.message}): is Postgres running there?`;
    throw poolerFault(error) ?? new StartRefused(unanswered, error);
  });
  const database = new Database({ pool, schema });
  // Folding uses no rules file, so any rules will do.
  const modules = new Modules([pets(), works({ name: TOWN, rules: { things: {}, activities: {} } })]);
  return {
    migrate: () => migrateOn({ pool, schema, log }),
    migrationState: async () => ({
      pending: await pendingOn(pool, schema),
      processes: (await sessionsOnRight({ pool, schema })).length,
    }),
    verify: async ({ modulesFile, ...options }) => {
      const ofGame = modulesFile === undefined ? modules : await modulesIn(modulesFile);
      return verify({
        ...options,
        modules: ofGame,
        store: new PostgresVerifyStore({ database, modules: ofGame }),
      }).catch((error) => {
        if (!(error instanceof ModuleMissing)) throw error;
        throw new StartRefused(
          `the log has the module ${error.module}, which ${modulesFile ?? 'the reference game'} does not: pass --modules <file>, one that exports as \`modules\` what the game passes to createKibble`,
          error,
        );
      });
    },
    verifyIndex: async (options) => verifyInRedis(settings, await guarded(database), options),
    seed: async ({ things, events, ...options }) => {
      const { petsHistory } = await import('../../load/seed-history.ts');
      return seed({
        ...options,
        store: new PostgresHomeStore({ database: await guarded(database), modules, limits: limits.seed }),
        history: petsHistory(rulesFile === undefined ? defaultCatalogue : readRules(rulesFile), {
          pets: things,
          events,
        }),
      });
    },
    beginEpoch: () => beginEpoch(database),
    close: () => pool.end(),
  };
};

/** With the servers' time: held if they hold it. Guarded from then on. */
const guarded = async (database: Database): Promise<Database> => {
  const time = new ClockGuard(systemClock);
  const { databaseMs, heldByMs } = await new PostgresClockRecord(database).read();
  if (heldByMs !== 0) time.resume({ nowMs: databaseMs - heldByMs, databaseMs });
  const { pool, schema } = database;
  return new Database({ pool, schema, time });
};

const verifyInRedis = async (
  { redisUrls, redisPrefix, timerShards }: CommandSettings,
  database: Database,
  options: Parameters<OpenedDatabase['verifyIndex']>[0],
): ReturnType<OpenedDatabase['verifyIndex']> => {
  if (redisUrls === undefined) return undefined;
  const generations = new PostgresGenerations(database);
  const generation = await generations.inForce(timerShards);
  const { shards } = generation;
  const index = new RedisDueIndex({
    client: createRedisClient(redisUrls.join(',')),
    clock: systemClock,
    prefix: redisPrefix,
    shards,
    consumer: random.uniqueName(),
  });
  await index.start(await readEpoch(database));
  try {
    if (!index.isAvailable) throw new StartRefused('REDIS_URL does not answer: is Redis running there?');
    index.inUse.use(generation);
    const store = new PostgresTimerStore(database);
    const pause = () => new Promise<void>((resolve) => void systemClock.after(SECOND_LOOK_MS, resolve));
    const isWhole = async (): Promise<boolean> => {
      const { number, pulse } = await generations.inForce(timerShards);
      return number === generation.number && index.marks.isWhole(pulse);
    };
    if (!(await isWhole())) return 'refilled';
    const found = await verifyIndex({ ...options, store, index, pause });
    return (await isWhole()) ? found : 'refilled';
  } finally {
    index.stop();
  }
};

/** Throws `StartRefused` if the file does not export a list `modules`; a list `retired` is optional. */
const modulesIn = async (file: string): Promise<Modules> => {
  const found = await import(pathToFileURL(path.resolve(file)).href).catch((error: Error) => {
    throw new StartRefused(`--modules ${file} cannot be read: ${error.message}`, error);
  });
  if (!Array.isArray(found.modules)) throw new StartRefused(`--modules ${file} exports no list called modules`);
  return new Modules(found.modules, found.retired);
};

const readRules = (file: string): Catalogue => {
  if (!existsSync(file)) throw new StartRefused(`RULES_FILE cannot be read: ${file}`);
  const rules = parseRulesFile(JSON.parse(readFileSync(file, 'utf8')));
  if (!rules.ok) throw new RulesRefused(rules.error);
  return rules.value.pets;
};
