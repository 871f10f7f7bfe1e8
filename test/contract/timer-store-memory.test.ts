import { MemoryTimerStore } from '../../server/adapter/memory/memory-timer-store.ts';
import { timerStoreContract } from './timer-store.ts';

timerStoreContract('memory', async (nowMs) => ({ store: new MemoryTimerStore(nowMs), dispose: async () => undefined }));
