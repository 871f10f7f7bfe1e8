import type { Pool } from 'pg';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { Database } from '../../server/adapter/postgres/database.ts';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import { alwaysExclusive } from '../../server/runtime/exclusive.ts';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import type { Observe } from '../../server/timer/model/engine-event.ts';
import type { FireKind } from '../../server/timer/model/timer-kind.ts';
import { TimerEngine } from '../../server/timer/timer-engine.ts';
import { silentLog } from '../../test/support/log/logs.ts';
import { SCHEMA } from '../harness/stores.ts';

export const KIND = 'bench';
const DAY_MS = 86_400_000;

interface EngineOptions {
  readonly pool: Pool;
  readonly index: DueIndex;
  readonly fire: FireKind['fire'];
  readonly batchLimit?: number;
  readonly observe?: Observe;
}

/** The engine with one kind, on the rows in `pool` and this index: started, with all waiting timers in the index. */
export const openEngine = async ({ pool, index, fire, observe, ...more }: EngineOptions): Promise<TimerEngine> => {
  const rebuilt = Promise.withResolvers<void>();
  const engine = new TimerEngine({
    store: new PostgresTimerStore(new Database({ pool, schema: SCHEMA })),
    index,
    clock: systemClock,
    log: silentLog,
    exclusive: alwaysExclusive,
    retentionMs: DAY_MS,
    ...more,
    observe: (event) => {
      if (event.type === 'rebuilt') rebuilt.resolve();
      observe?.(event);
    },
  });
  engine.register({ kind: KIND, fire });
  await engine.start();
  await rebuilt.promise;
  return engine;
};
