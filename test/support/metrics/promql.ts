/** One series that an expression reads. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

const words = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'bool', 'offset', 'inf', 'nan']);
const grouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

/** The series that a PromQL expression selects. Just enough of the language: no strings outside of matchers, no subqueries. */
export const selectorsIn = (expression: string): readonly Selector[] => {
  const bare = expression.replaceAll(grouping, ' ').replaceAll(/\[[^\]]*\]/g, ' ');
  const found: Selector[] = [];
  for (const [, metric = '', braces, call] of bare.matchAll(/([a-zA-Z_:][\w:]*)\s*(\{[^}]*\})?\s*(\()?/g)) {
    if (call !== undefined || words.has(metric)) continue;
    const pairs = [...(braces ?? '').matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)];
    found.push({
      metric,
      matchers: pairs.map(([, label = '', operator = '', value = '']) => ({ label, operator, value })),
    });
  }
  return found;
};

/** The labels by which an expression groups. */
export const groupingsIn = (expression: string): readonly string[] =>
  [...expression.matchAll(grouping)].flatMap(([, labels = '']) =>
    labels
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );
