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
