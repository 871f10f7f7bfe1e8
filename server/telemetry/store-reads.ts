import { Counter, type Registry } from '@prometheus-io/client';
import type { Clock } from '../runtime/clock.ts';

/** Caches the read of a gauge, and counts its failures under the name of its source. */
export type StoreReads = <Value>(source: string, read: () => Promise<Value>) => CachedRead<Value>;

/** For gauges that read a store at a scrape. One per registry. */
export const storeReads = (registry: Registry, clock: Pick<Clock, 'monotonicMs' | 'after'>): StoreReads => {
  const failures = new Counter({
    name: 'kibble_scrape_failures_total',
    help: 'Times that a store did not answer a scrape; its gauges are NaN then, or absent.',
    labelNames: ['source'],
    registers: [registry],
  });
  return (source, read) => {
    failures.inc({ source }, 0);
    return cachedRead(read, clock, () => failures.inc({ source }));
  };
};

/** A scrape waits no longer: a value that has not arrived is unknown. */
const WAIT_MS = 2000;
/** Even with several scrapers a store is not read more often than this. */
const KEPT_MS = 5000;

/** The newest value, at most five seconds old; undefined if none arrived within two. Never throws. */
export type CachedRead<Value> = () => Promise<Value | undefined>;

/** Calls `read` once, however many gauges show parts of its value. `failed` is called each time it fails. */
export const cachedRead = <Value>(
  read: () => Promise<Value>,
  clock: Pick<Clock, 'monotonicMs' | 'after'>,
  failed: () => void,
): CachedRead<Value> => {
  let newest: { readonly atMs: number; readonly value: Promise<Value | undefined> } | undefined;
  const ask = (): Promise<Value | undefined> =>
    new Promise((resolve) => {
      let isOver = false;
      const giveUp = (): void => {
        if (isOver) return;
        isOver = true;
        failed();
        resolve(undefined);
      };
      const cancel = clock.after(WAIT_MS, giveUp);
      read().then(
        (value) => {
          cancel();
          resolve(value);
        },
        () => {
          cancel();
          giveUp();
        },
      );
    });
  return () => {
    const nowMs = clock.monotonicMs();
    if (newest === undefined || nowMs - newest.atMs >= KEPT_MS) newest = { atMs: nowMs, value: ask() };
    return newest.value;
  };
};
