import type { Pool } from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import type { EngineLog } from '../../../runtime/engine-log.ts';
import { borrowedPool, withoutDeadline } from './borrowed-pool.ts';
import { checkpointEntity } from './entities/home/checkpoint.ts';
import { consumerEntity } from './entities/home/consumer.ts';
import { epochEntity } from './entities/home/epoch.ts';
import { erasedEntity } from './entities/home/erased.ts';
import { eventEntity } from './entities/home/event.ts';
import { homeEntity } from './entities/home/home.ts';
import { homeHoldEntity } from './entities/home/home-hold.ts';
import { thingEntity } from './entities/home/thing.ts';
import { auditEntity } from './entities/ops/audit.ts';
import { jobEntity } from './entities/ops/job.ts';
import { jobTargetEntity } from './entities/ops/job-target.ts';
import { revokedEntity } from './entities/ops/revoked.ts';
import { clockEntity } from './entities/timer/clock.ts';
import { timerEntity } from './entities/timer/timer.ts';
import { timerCommandEntity } from './entities/timer/timer-command.ts';
import { timerDueEntity } from './entities/timer/timer-due.ts';
import { timerIndexEntity } from './entities/timer/timer-index.ts';
import { timerKindEntity } from './entities/timer/timer-kind.ts';
import { timerPauseEntity } from './entities/timer/timer-pause.ts';
import { Baseline1795564800001 } from './migrations/1-baseline.ts';
import { ormLog } from './orm-log.ts';

/** All tables, each as TypeORM knows it. */
export const entities = [
  epochEntity,
  homeEntity,
  thingEntity,
  homeHoldEntity,
  eventEntity,
  timerEntity,
  timerDueEntity,
  timerCommandEntity,
  timerIndexEntity,
  timerKindEntity,
  timerPauseEntity,
  consumerEntity,
  checkpointEntity,
  clockEntity,
  auditEntity,
  erasedEntity,
  revokedEntity,
  jobEntity,
  jobTargetEntity,
];

/** In their order. A later one alters what an earlier one made; none is ever changed. */
export const migrations: readonly (new () => MigrationInterface)[] = [Baseline1795564800001];

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
 * Never write through it: `save()` of an entity that was read a moment ago overwrites what others wrote since. What
 * changes rows is the SQL of the stores, under the homes' locks (ADR 78). Call `initialize()` before use.
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
