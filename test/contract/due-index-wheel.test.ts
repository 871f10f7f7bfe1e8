import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import { dueIndexModel } from '../model/due-index-model.ts';
import { beginGeneration } from '../support/engine/due-index.ts';
import { PROPERTY_RUNS } from '../support/properties/property-runs.ts';
import { dueIndexContract } from './due-index.ts';

const make = async () => {
  const index = new MemoryDueIndex(systemClock);
  await beginGeneration(index);
  return { index, dispose: async () => undefined };
};

dueIndexContract('timing wheel', make);
dueIndexModel('timing wheel', { runs: PROPERTY_RUNS, make });
