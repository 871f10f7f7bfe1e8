/** The object without these properties. */
export const omit = <Value extends object, Key extends string>(
  value: Value,
  ...keys: readonly Key[]
): Omit<Value, Key> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.some((left) => left === key))) as Omit<Value, Key>;
