import { MemoryDueIndex } from '../adapter/memory/memory-due-index.ts';
import type { DatabaseWatch } from '../adapter/postgres/schema/database-watch.ts';
import type { RedisDueIndex } from '../adapter/redis/index/redis-due-index.ts';
import type { ClockGuard } from '../timer/clock/clock-guard.ts';
import type { TimerEngine } from '../timer/timer-engine.ts';
import { Boot } from './boot.ts';
import { type RightToRun, SecondProcess } from './right-to-run.ts';

/**
 * What works worse than it should. `database`: no command can be accepted. `clock`: the database's clock jumped, and time
 * goes on without it. `right`: another process works on the database, and this one fires nothing and accepts nothing.
 */
export type Trouble = 'database' | 'redis' | 'clock' | 'right';

interface Dependencies {
  readonly engine: Pick<TimerEngine, 'isIndexWhole' | 'isIndexElsewhere'>;
  readonly index: MemoryDueIndex | RedisDueIndex;
  readonly time: Pick<ClockGuard, 'state'>;
  readonly right: Pick<RightToRun, 'mayRun'>;
  readonly databaseWatch: Pick<DatabaseWatch, 'trouble'>;
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

  /** Why no timer may be written or asked for now. */
  get refusal(): Error | undefined {
    return this.boot.refusal ?? (this.#on.right.mayRun || !this.boot.isReady ? undefined : new SecondProcess());
  }

  /** Whether the due index responds and lacks nothing, as far as this process uses it. */
  get isIndexWhole(): boolean {
    const { engine, index, fires } = this.#on;
    return this.boot.isReady && (fires ? engine.isIndexWhole : index.isAvailable && !engine.isIndexElsewhere);
  }

  /** Undefined before `boot` has ended and after `shutdown` began. */
  degraded(): readonly Trouble[] | undefined {
    if (!this.boot.isReady) return undefined;
    const { index, time, right, databaseWatch } = this.#on;
    const hasRedis = !(index instanceof MemoryDueIndex);
    // A Redis that is refused for something that an operator has to change counts as one that is away.
    const isRedisFine = this.isIndexWhole && !('trouble' in index && index.trouble);
    return [
      ...(databaseWatch.trouble ? (['database'] as const) : []),
      ...(hasRedis && !isRedisFine ? (['redis'] as const) : []),
      ...(time.state.isHeld ? (['clock'] as const) : []),
      ...(right.mayRun ? [] : (['right'] as const)),
    ];
  }
}
