import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { EngineLog } from '../../../runtime/engine-log.ts';
import { borrowedPool, withoutDeadline } from './borrowed-pool.ts';
import { checkpointEntity } from './entities/home/checkpoint.ts';
import { consumerEntity } from './entities/home/consumer.ts';
import { epochEntity } from './entities/home/epoch.ts';
import { erasedEntity } from './entities/home/erased.ts';
import { eventEntity } from './entities/home/event.ts';
import { homeEntity } from './entities/home/home.ts';
import { itemEntity } from './entities/home/item.ts';
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
import { Homes1795219200001 } from './migrations/1-homes.ts';
import { Timers1795219200002 } from './migrations/2-timers.ts';
import { TimerIndex1795219200003 } from './migrations/3-timer-index.ts';
import { Consumers1795219200004 } from './migrations/4-consumers.ts';
import { Retention1795219200005 } from './migrations/5-retention.ts';
import { IndexCare1795219200006 } from './migrations/6-index-care.ts';
import { Operations1795219200007 } from './migrations/7-operations.ts';
import { Clock1795219200008 } from './migrations/8-clock.ts';
import { Revoked1795219200009 } from './migrations/9-revoked.ts';
import { TimerTurns1795219200010 } from './migrations/10-timer-turns.ts';
import { Things1795219200011 } from './migrations/11-things.ts';
import { TimerDue1795219200012 } from './migrations/12-timer-due.ts';
import { TimerRecurrence1795219200013 } from './migrations/13-timer-recurrence.ts';
import { TimerCommands1795219200014 } from './migrations/14-timer-commands.ts';
import { DerivedTimers1795219200015 } from './migrations/15-derived-timers.ts';
import { ormLog } from './orm-log.ts';

/** All tables, each as TypeORM knows it. */
export const entities = [
  epochEntity,
  homeEntity,
  thingEntity,
  itemEntity,
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

export const migrations = [
  Homes1795219200001,
  Timers1795219200002,
  TimerIndex1795219200003,
  Consumers1795219200004,
  Retention1795219200005,
  IndexCare1795219200006,
  Operations1795219200007,
  Clock1795219200008,
  Revoked1795219200009,
  TimerTurns1795219200010,
  Things1795219200011,
  TimerDue1795219200012,
  TimerRecurrence1795219200013,
  TimerCommands1795219200014,
  DerivedTimers1795219200015,
] as const;

interface Options {
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
export const createDataSource = ({ pool, schema, log }: Options): DataSource =>
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
