import type { Pool } from 'pg';
import { inject } from 'vitest';
import { Database } from '../../server/adapter/postgres/database.ts';
import { createPool } from '../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import { tries } from '../proof/table/tries.ts';
import { FakeTimerStore } from '../support/fake-database/fake-timer-store.ts';
import { silentLog } from '../support/log/logs.ts';
import { thingChanges } from '../support/postgres/thing-changes.ts';
import { createTimerDatabase } from '../support/postgres/timer-database.ts';
import { timerChangesContract } from './timer-changes.ts';
import { timerOrdersContract } from './timer-orders.ts';
import { claimsAndRevisionsContract } from './timer-store/claims-and-revisions.ts';
import { homeHoldsContract } from './timer-store/home-holds.ts';
import { keysAndRowsContract } from './timer-store/keys-and-rows.ts';
import { pagesContract } from './timer-store/pages.ts';
import type { MakeStore, StoreUnderTest } from './timer-store/store-scene.ts';
import { thingTimersContract } from './timer-store/thing-timers.ts';
import { transactionsContract } from './timer-store/transactions.ts';
import { turnsContract } from './timer-store/turns.ts';

/** The contract of every timer store. */
const timerStoreContract = (name: string, make: MakeStore): void => {
  keysAndRowsContract(name, make);
  claimsAndRevisionsContract(name, make);
  turnsContract(name, make);
  transactionsContract(name, make);
  thingTimersContract(name, make);
  homeHoldsContract(name, make);
  pagesContract(name, make);
};

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

for (const contract of [timerStoreContract, timerChangesContract, timerOrdersContract]) {
  contract('fake', async (nowMs) => {
    const store = new FakeTimerStore(nowMs);
    return { store, changeThings: (changes) => store.changeThings(changes), dispose: async () => undefined };
  });
}
