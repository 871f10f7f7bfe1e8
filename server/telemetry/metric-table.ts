import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

type Labels = Readonly<Record<string, string>>;

/** Adds to a counter, or observes a value in a histogram. Default value: 1. */
export type Count = (labels: Labels, value?: number) => void;

type OfType<Event, Type> = Event extends { readonly type: infer Types } ? (Type extends Types ? Event : never) : never;

/** A metric of events: a counter, or with `buckets` a histogram. */
export interface Metric<Event extends { readonly type: string }> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper ends. */
  readonly buckets?: readonly number[];
  /** Starts at 0: a missing series has no rate, so an alert on it could not fire the first time. */
  readonly zeros?: readonly Labels[];
  /** The addition of each type of event. */
  readonly counts: { readonly [Type in Event['type']]?: (event: OfType<Event, Type>, count: Count) => void };
}

/** Receives what metrics count, by the names of the metrics. */
export type Listeners = Readonly<Record<string, Count>>;

/** Registers the metrics of a table. Call the returned function with each event. */
export const countIn = <Event extends { readonly type: string }>(
  registry: Registry,
  table: readonly Metric<Event>[],
  listeners: Listeners = {},
): ((event: Event) => void) => {
  const byType = new Map<string, ((event: Event) => void)[]>();
  for (const { counts, ...shown } of table) {
    const counter = counterOf(registry, shown);
    const listener = listeners[shown.name];
    const count: Count = (labels, value = 1) => {
      counter(labels, value);
      listener?.(labels, value);
    };
    for (const [type, add] of Object.entries(counts) as [string, (event: Event, count: Count) => void][]) {
      byType.set(type, [...(byType.get(type) ?? []), (event) => add(event, count)]);
    }
  }
  return (event) => {
    for (const add of byType.get(event.type) ?? []) add(event);
  };
};

const counterOf = (
  registry: Registry,
  { buckets, labels = [], zeros = [], ...named }: Omit<Metric<never>, 'counts'>,
) => {
  const shared = { ...named, labelNames: [...labels], registers: [registry] };
  if (buckets) {
    const histogram = new Histogram<string>({ ...shared, buckets: [...buckets] });
    for (const zero of zeros) histogram.zero(zero);
    return (observed: Labels, value = 1): void => histogram.observe(observed, value);
  }
  const counter = new Counter<string>(shared);
  for (const zero of zeros) counter.inc(zero, 0);
  return (counted: Labels, value = 1): void => counter.inc(counted, value);
};

type Read<Value> = () => Value | undefined | Promise<Value | undefined>;

/** A gauge that is read at a scrape: one value, or with `label` a value for each label. Undefined: unknown now. */
export type GaugeRow = { readonly name: string; readonly help: string } & (
  | { readonly label?: undefined; readonly read: Read<number> }
  | { readonly label: string; readonly read: Read<Iterable<readonly [string, number]>> }
);

/** Prometheus' value for "unknown now": no alert compares with it, no graph draws it. */
const UNKNOWN = Number.NaN;

export const gaugesIn = (registry: Registry, table: readonly GaugeRow[]): void => {
  for (const { name, help, ...row } of table) {
    const labelNames = row.label === undefined ? [] : [row.label];
    const gauge: Gauge<string> = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        if (row.label === undefined) return gauge.set((await row.read()) ?? UNKNOWN);
        const values = (await row.read()) ?? [];
        gauge.reset();
        for (const [value, count] of values) gauge.set({ [row.label]: value }, count);
      },
    });
  }
};

/** The unit of Prometheus. */
export const seconds = (ms: number): number => ms / 1000;
