/** One line of what Prometheus reads. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the text of a scrape. Throws for a line that Prometheus would not take either. */
export const samplesIn = (text: string): readonly MetricSample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`no line of a scrape: ${line}`);
      const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/g)];
      return { name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: numberOf(value) };
    });

/** The value of the one sample with this name and these labels (and maybe others); undefined: there is none. */
export const valueIn = (text: string, name: string, labels: MetricSample['labels'] = {}): number | undefined =>
  samplesIn(text).find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;

const numberOf = (text: string): number => {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === 'Nan' || text === 'NaN' ? Number.NaN : Number(text);
};

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
