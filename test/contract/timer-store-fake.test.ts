import { FakeTimerStore } from '../support/fake-database/fake-timer-store.ts';
import { timerChangesContract } from './timer-changes.ts';
import { timerOrdersContract } from './timer-orders.ts';
import { timerStoreContract } from './timer-store.ts';

for (const contract of [timerStoreContract, timerChangesContract, timerOrdersContract]) {
  contract('fake', async (nowMs) => {
    const store = new FakeTimerStore(nowMs);
    return { store, changeThings: (changes) => store.changeThings(changes), dispose: async () => undefined };
  });
}
