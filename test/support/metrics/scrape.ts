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
