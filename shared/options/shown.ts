const LONGEST_TEXT = 64;

/** Any value in a message: `1.5`, `"abc"`, `a Date`. Never throws. */
export const shown = (value: unknown): string => {
  switch (typeof value) {
    case 'undefined':
      return 'missing';
    case 'string':
      return JSON.stringify(value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}...` : value);
    case 'number':
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : sortOf(value);
    case 'bigint':
      return 'a BigInt';
    default:
      return `a ${typeof value}`;
  }
};

const sortOf = (value: object): string => {
  try {
    if (Array.isArray(value)) return 'a list';
    return value instanceof Date ? 'a Date' : 'an object';
  } catch {
    return 'an object that cannot be read';
  }
};

/** The known name that was probably meant, because most pairs of letters are the same. */
export const nearestOf = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > LONGEST_TEXT) return undefined;
  const own = pairsOf(name);
  const near = known.map((one) => {
    const pairs = pairsOf(one);
    return { one, likeness: (2 * pairs.filter((pair) => own.includes(pair)).length) / (pairs.length + own.length) };
  });
  return near.filter(({ likeness }) => likeness >= 0.5).sort((left, right) => right.likeness - left.likeness)[0]?.one;
};

const pairsOf = (name: string): readonly string[] =>
  Array.from({ length: name.length + 1 }, (_, at) => ` ${name.toLowerCase()} `.slice(at, at + 2));
