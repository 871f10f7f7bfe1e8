import type { Pool } from 'pg';
import { inject } from 'vitest';
import { Database } from '../../server/adapter/postgres/database.ts';
import { createPool } from '../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import { tries } from '../proof/table/tries.ts';
import { silentLog } from '../support/log/logs.ts';
import { thingChanges } from '../support/postgres/thing-changes.ts';
import { createTimerDatabase } from '../support/postgres/timer-database.ts';
import { timerChangesContract } from './timer-changes.ts';
import { timerOrdersContract } from './timer-orders.ts';
import type { StoreUnderTest } from './timer-store/store-scene.ts';
import { timerStoreContract } from './timer-store.ts';

const onPool = (name: string, open?: (url: string) => Pool): void => {
  const make = async (nowMs: () => number): Promise<StoreUnderTest> => {
    const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'), open);
    const changeThings = thingChanges({ pool, schema, nowMs });
    return { store: new PostgresTimerStore(new Database({ pool, schema, nowMs })), changeThings, dispose };
  };
  timerStoreContract(name, make);
  timerChangesContract(name, make);
  timerOrdersContract(name, make);
};

onPool('Postgres');
// It pipelines, and reads bigints as numbers. The reference server has it, and with that most tests of whole servers.
if (tries({ test: 0, proof: 1 }) > 0) {
  onPool('Postgres on our own pool', (url) => createPool({ url, max: 8, log: silentLog }));
}
