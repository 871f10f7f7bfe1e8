const LONGEST_TEXT = 64;

/** A value in a message, whatever it is: `1.5`, `"abc"`, `a Date`. Never throws. */
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

/** The known name that was probably meant. */
export const nearestOf = (name: string, known: readonly string[]): string | undefined => {
  const bound = Math.max(2, Math.floor(name.length / 3));
  const near = known.map((one) => ({ one, far: distance(name.toLowerCase(), one.toLowerCase()) }));
  return near.filter(({ far }) => far <= bound).sort((left, right) => left.far - right.far)[0]?.one;
};

/** How many letters are put in, left out or changed. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from].entries()) {
    const above = row;
    row = [at + 1];
    for (let to_ = 0; to_ < to.length; to_ += 1) {
      const changed = (above[to_] ?? 0) + (to[to_] === letter ? 0 : 1);
      row.push(Math.min(changed, (above[to_ + 1] ?? 0) + 1, (row[to_] ?? 0) + 1));
    }
  }
  return row.at(-1) ?? 0;
};
