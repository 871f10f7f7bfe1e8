import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import { sabotaged } from '../properties/sabotaged.ts';

type Ports = Pick<DueIndex, 'inUse' | 'orders' | 'handOffs' | 'queue' | 'marks'>;

/** Methods of an index' ports that do something else. May be filled later. */
export type IndexFaults = { [Port in keyof Ports]?: Partial<Ports[Port]> };

/** A due index, but for some methods. */
export const sabotagedIndex = (index: DueIndex, faults: IndexFaults): DueIndex =>
  sabotaged<DueIndex>(index, {
    get inUse() {
      return sabotaged(index.inUse, faults.inUse ?? {});
    },
    get orders() {
      return sabotaged(index.orders, faults.orders ?? {});
    },
    get handOffs() {
      return sabotaged(index.handOffs, faults.handOffs ?? {});
    },
    get queue() {
      return sabotaged(index.queue, faults.queue ?? {});
    },
    get marks() {
      return sabotaged(index.marks, faults.marks ?? {});
    },
  });
