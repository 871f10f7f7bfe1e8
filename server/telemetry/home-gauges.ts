import type { Registry } from '@prometheus-io/client';
import type { ConsumerStore } from '../home/log/consumer.ts';
import { gauge, labelledGauge } from './gauges.ts';
import type { StoreReads } from './store-reads.ts';

const LAG_COUNTED = 10_000;

interface HomeParts {
  readonly followed: () => { readonly homes: number; readonly followers: number };
  /** Undefined where others tell the same for all. */
  readonly reads: StoreReads | undefined;
  readonly consumerStore: Pick<ConsumerStore, 'lag'>;
  readonly consumers: readonly string[];
}

/** Who follows homes in this process, and how far behind the consumers are. */
export const homeGauges = (registry: Registry, { followed, reads, consumerStore, consumers }: HomeParts): void => {
  gauge(registry, 'kibble_followers', 'Connected clients: sessions that follow a home.', () => followed().followers);
  gauge(registry, 'kibble_homes_followed', 'Homes that somebody in this process follows.', () => followed().homes);
  if (!reads) return;
  const lag = reads('consumers', () => (consumers.length > 0 ? consumerStore.lag(consumers, LAG_COUNTED) : noLag));
  labelledGauge(
    registry,
    {
      name: 'kibble_consumer_lag_events',
      help: `Events that a consumer has not read, counted up to ${LAG_COUNTED}.`,
      label: 'consumer',
    },
    lag,
  );
};

const noLag: Promise<ReadonlyMap<string, number>> = Promise.resolve(new Map());
