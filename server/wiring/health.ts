import { MemoryDueIndex } from '../adapter/memory/memory-due-index.ts';
import type { DatabaseWatch } from '../adapter/postgres/schema/database-watch.ts';
import type { RedisDueIndex } from '../adapter/redis/index/redis-due-index.ts';
import type { ClockGuard } from '../timer/clock/clock-guard.ts';
import type { TimerEngine } from '../timer/timer-engine.ts';
import { Boot } from './boot.ts';

/**
 * What works worse than it should. `database`: no command can be accepted. `clock`: the database's clock jumped, and time
 * goes on without it.
 */
export type Trouble = 'database' | 'redis' | 'clock';

interface Dependencies {
  readonly engine: Pick<TimerEngine, 'isIndexWhole'>;
  readonly index: MemoryDueIndex | RedisDueIndex;
  readonly time: Pick<ClockGuard, 'state'>;
  readonly database: Pick<DatabaseWatch, 'trouble'>;
  /** False where others fire, or nobody by itself. */
  readonly fires: boolean;
}

/** How far a process has started, and what works worse than it should: for probes and gauges. */
export class Health {
  readonly boot = new Boot();
  readonly #on: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  get fires(): boolean {
    return this.#on.fires;
  }

  /** Whether the due index responds and lacks nothing, as far as this process uses it. */
  get isIndexWhole(): boolean {
    const { engine, index, fires } = this.#on;
    return this.boot.isReady && (fires ? engine.isIndexWhole : index.isAvailable);
  }

  /** Undefined before `boot` has ended and after `shutdown` began. */
  degraded(): readonly Trouble[] | undefined {
    if (!this.boot.isReady) return undefined;
    const { index, time, database } = this.#on;
    const hasRedis = !(index instanceof MemoryDueIndex);
    // A Redis that is refused for something that an operator has to change counts as one that is away.
    const isRedisFine = this.isIndexWhole && !('trouble' in index && index.trouble);
    return [
      ...(database.trouble ? (['database'] as const) : []),
      ...(hasRedis && !isRedisFine ? (['redis'] as const) : []),
      ...(time.state.isHeld ? (['clock'] as const) : []),
    ];
  }
}
