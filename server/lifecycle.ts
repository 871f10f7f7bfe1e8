import type { Pool } from 'pg';
import { MemoryDueIndex } from './adapter/memory/memory-due-index.ts';
import { acquireSingleProcessLock } from './adapter/postgres/advisory-lock.ts';
import { createDataSource } from './adapter/postgres/data-source.ts';
import { migrate } from './adapter/postgres/migrate.ts';
import type { RedisDueIndex } from './adapter/redis/redis-due-index.ts';
import type { HomeService } from './home/home-service.ts';
import type { EngineLog } from './timer/engine-log.ts';
import type { Exclusive } from './timer/exclusive.ts';
import type { TimerEngine } from './timer/timer-engine.ts';

interface Parts {
  readonly pool: Pool;
  readonly schema: string;
  readonly log: EngineLog;
  readonly engine: TimerEngine;
  readonly index: MemoryDueIndex | RedisDueIndex;
  readonly service: HomeService;
}

const REDIS_AWAY =
  'REDIS_URL does not answer: is Redis running there? Until it does the sweeper fires the timers, up to a few seconds late';

/** The order in which a process of Kibble starts and stops. */
export class Lifecycle {
  readonly #parts: Parts;
  #isReady = false;
  #singleProcess: Exclusive | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Migrates, then starts to fire timers. Throws what is wrong with Postgres or Redis; a Redis that is away is awaited. */
  async boot(): Promise<void> {
    const { pool, schema, log, engine, index } = this.#parts;
    // First the right to be here: a second process must not even migrate.
    if (index instanceof MemoryDueIndex) this.#singleProcess = await acquireSingleProcessLock(pool, schema);
    const dataSource = createDataSource({ pool, schema, log });
    await dataSource.initialize();
    try {
      await migrate(dataSource);
    } finally {
      await dataSource.destroy();
    }
    if (!(index instanceof MemoryDueIndex)) {
      await index.start();
      if (!index.isAvailable) log.warn({ code: 'redis/away' }, REDIS_AWAY);
    }
    await engine.start();
    this.#isReady = true;
  }

  /** Finishes what was accepted, hands nothing off any more, and lets go of everything but the pool. */
  async shutdown(): Promise<void> {
    const { engine, index, service } = this.#parts;
    this.#isReady = false;
    await service.drain();
    await engine.stop();
    if (!(index instanceof MemoryDueIndex)) index.stop();
    await this.#singleProcess?.release();
  }

  degraded(): readonly 'redis'[] | undefined {
    if (!this.#isReady) return undefined;
    return this.#parts.engine.isIndexWhole ? [] : ['redis'];
  }
}
