const SPECIAL = /["\\]/g;

/**
 * Parameters as Postgres reads them, arrays of text, numbers and booleans among them. `pg` can write arrays as well,
 * by a general path that costs several times as much; with a few dozen columns a batch that is felt.
 */
export const parametersOf = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (Array.isArray(value) ? arrayOf(value) : value));

const arrayOf = (elements: readonly unknown[]): string => {
  let text = '{';
  for (const element of elements) text += text.length === 1 ? literal(element) : `,${literal(element)}`;
  return `${text}}`;
};

const literal = (element: unknown): string => {
  if (element === undefined || element === null) return 'NULL';
  return typeof element === 'string' ? `"${element.replace(SPECIAL, '\\$&')}"` : String(element);
};
