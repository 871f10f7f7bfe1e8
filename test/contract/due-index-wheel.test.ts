import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import { systemClock } from '../../server/adapter/system-clock.ts';
import { dueIndexModel } from '../model/due-index.ts';
import { dueIndexContract } from './due-index.ts';

const make = async () => ({ index: new MemoryDueIndex(systemClock), dispose: async () => undefined });

dueIndexContract('timing wheel', make);
dueIndexModel('timing wheel', { runs: 1000, make });
