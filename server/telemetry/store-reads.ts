import { Counter, type Registry } from '@prometheus-io/client';
import type { Clock } from '../runtime/clock.ts';
import { type CachedRead, cachedRead } from './cached-read.ts';

/** Makes a read of a gauge cached, and counts its failures under the name of what it reads. */
export type StoreReads = <Value>(source: string, read: () => Promise<Value>) => CachedRead<Value>;

/** For gauges that ask a store when they are scraped. Once a registry. */
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
