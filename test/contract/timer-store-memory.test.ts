import { MemoryTimerStore } from '../../server/adapter/memory/memory-timer-store.ts';
import { timerChangesContract } from './timer-changes.ts';
import { timerOrdersContract } from './timer-orders.ts';
import { timerStoreContract } from './timer-store.ts';

for (const contract of [timerStoreContract, timerChangesContract, timerOrdersContract]) {
  contract('memory', async (nowMs) => ({ store: new MemoryTimerStore(nowMs), dispose: async () => undefined }));
}
