import { Gauge, type Registry } from '@prometheus-io/client';

/** Prometheus' word for a value that is not known now: no alert compares with it, no graph draws it. */
const UNKNOWN = Number.NaN;

/** A gauge that is read when it is scraped; undefined: not known now. */
export const gauge = (
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined>,
): void => {
  const made: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => made.set((await read()) ?? UNKNOWN),
  });
};

/** The same with one label: a value for each of the label's values; undefined: none of them is known now. */
export const labelledGauge = (
  registry: Registry,
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
  read: () =>
    | Iterable<readonly [string, number]>
    | undefined
    | Promise<Iterable<readonly [string, number]> | undefined>,
): void => {
  const made: Gauge<string> = new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect: async () => {
      const values = (await read()) ?? [];
      made.reset();
      for (const [value, count] of values) made.set({ [label]: value }, count);
    },
  });
};
