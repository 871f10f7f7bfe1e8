import type { DueIndex } from '../../server/timer/due-index.ts';

/** The index, but for some methods. */
export const sabotaged = (index: DueIndex, faults: Partial<DueIndex>): DueIndex =>
  new Proxy(index, {
    get: (target, name) => {
      const fault: unknown = Reflect.get(faults, name);
      if (fault !== undefined) return fault;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
