import type { DueIndex } from '../../../server/timer/index/due-index.ts';

type Ports = Pick<DueIndex, 'inUse' | 'orders' | 'handOffs' | 'queue' | 'marks'>;

/** Methods of an index' ports that do something else. May be filled later. */
export type IndexFaults = { -readonly [Port in keyof Ports]?: Partial<Ports[Port]> } & { isAvailable?: boolean };

/** A due index, but for some methods. */
export const sabotagedIndex = (index: DueIndex, faults: IndexFaults): DueIndex =>
  sabotaged<DueIndex>(index, {
    get isAvailable() {
      return faults.isAvailable ?? index.isAvailable;
    },
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

/** A port's adapter, but for some methods. */
export const sabotaged = <Port extends object>(adapter: Port, faults: Partial<Port>): Port =>
  new Proxy(adapter, {
    get: (target, name) => {
      const fault: unknown = Reflect.get(faults, name);
      if (fault !== undefined) return fault;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** Replaces a piece of a script; a piece that is not there would be a test of nothing. */
export const plantedPiece = (piece: string, by: string) => {
  let isFound = false;
  return {
    plant: (lua: string): string => {
      isFound ||= lua.includes(piece);
      return lua.replace(piece, () => by);
    },
    isPlanted: () => isFound,
  };
};
