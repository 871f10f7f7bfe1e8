/** A place in which two JSON values differ. `before` or `after` is missing if there is no value. */
export interface Difference {
  /** `foods.bone.workMs`, `levels.3`; empty: the whole value. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The places in which two JSON values differ, in the order of `before`, then new ones. Costs a step for each field. */
export const differencesOf = (before: unknown, after: unknown, path = ''): readonly Difference[] => {
  if (Object.is(before, after)) return [];
  if (!isParted(before) || !isParted(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
  }
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field) =>
    differencesOf(own(before, field), own(after, field), path === '' ? field : `${path}.${field}`),
  );
};

type Parted = Readonly<Record<string, unknown>>;

const isParted = (value: unknown): value is Parted => typeof value === 'object' && value !== null;

const own = (value: Parted, field: string): unknown => (Object.hasOwn(value, field) ? value[field] : undefined);
