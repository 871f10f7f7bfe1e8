import type { Pool } from 'pg';
import { DataSource, type Logger } from 'typeorm';
import type { EngineLog } from '../../../runtime/engine-log.ts';
import { borrowedPool, withoutDeadline } from './borrowed-pool.ts';
import { checkpointEntity, epochEntity, eventEntity, homeEntity, thingEntity } from './home-entities.ts';
import { migrations } from './migrations.ts';
import { auditEntity, jobEntity, jobTargetEntity, timerIndexEntity } from './ops-entities.ts';

/** The tables that `Records` reads. Only SQL uses the other tables. */
export const entities = [
  epochEntity,
  homeEntity,
  thingEntity,
  eventEntity,
  checkpointEntity,
  timerIndexEntity,
  auditEntity,
  jobEntity,
  jobTargetEntity,
];

export interface DataSourceOptions {
  /** Ours or the host's. It stays open when the data source is destroyed. */
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  readonly log: EngineLog;
}

/**
 * TypeORM on the one pool, for migrations. Reads go through `Records`.
 *
 * Never write through it: `save()` of an entity overwrites what others wrote since it was read. Rows are changed by the
 * SQL of the stores, under the homes' locks (ADR 78). Call `initialize()` before use.
 */
export const createDataSource = ({ pool, schema, log }: DataSourceOptions): DataSource =>
  new DataSource({
    type: 'postgres',
    driver: { Pool: borrowedPool(withoutDeadline(pool)) },
    schema,
    entities,
    migrations: [...migrations],
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'all',
    synchronize: false,
    installExtensions: false,
    logger: ormLog(log),
  });

/** Connects TypeORM's log to ours. Statements are not logged; failed ones throw, and the code that catches them logs. */
const ormLog = (log: EngineLog): Logger => ({
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: (message) => log.info({}, message),
  logMigration: (message) => log.info({}, message),
  log: (level, message) => (level === 'warn' ? log.warn({}, String(message)) : log.info({}, String(message))),
});
