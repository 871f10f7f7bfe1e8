/** The object without these properties. */
export const omit = <Value extends object, Key extends string>(
  value: Value,
  ...keys: readonly Key[]
): Omit<Value, Key> => {
  const left: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (!keys.includes(key as Key)) left[key] = value[key as keyof Value];
  return left as Omit<Value, Key>;
};
