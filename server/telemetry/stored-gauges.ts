import { Counter, type Registry } from '@prometheus-io/client';
import type { ConsumerStore } from '../home/log/consumer-store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { DueIndex } from '../timer/index/due-index.ts';
import { type FailingTimers, OVERDUE_COUNTED, type TimerCounts } from '../timer/model/timer-counts.ts';
import { gauge, labelledGauge } from './gauges.ts';
import { remembered } from './remembered.ts';
import { seconds } from './seconds.ts';

const LAG_COUNTED = 10_000;

export interface StoredParts {
  readonly clock: Clock;
  readonly counts: TimerCounts;
  readonly index: Pick<DueIndex, 'orders' | 'queue'>;
  /** All that this process has registered. Rows of others count as `other`. */
  readonly kinds: readonly string[];
  readonly consumerStore: Pick<ConsumerStore, 'lag'>;
  readonly consumers: readonly string[];
}

/** The gauges that ask Postgres and the index when they are scraped: the same on each process, so take their maximum. */
export const storedGauges = (registry: Registry, parts: StoredParts): void => {
  const { clock, counts, index, kinds, consumerStore, consumers } = parts;
  const failures = new Counter({
    name: 'kibble_scrape_failures_total',
    help: 'Times that a store did not answer a scrape; its gauges are NaN then, or absent.',
    labelNames: ['source'],
    registers: [registry],
  });
  const asked = <Value>(source: string, read: () => Promise<Value>) => {
    failures.inc({ source }, 0);
    return remembered(read, clock, () => failures.inc({ source }));
  };

  const pending = asked('pending', () => counts.pending());
  gauge(registry, 'kibble_timers_pending', 'Scheduled rows.', pending);

  const overdue = asked('overdue', () => counts.overdue());
  gauge(
    registry,
    'kibble_timers_overdue',
    `Scheduled rows that are past their time, counted up to ${OVERDUE_COUNTED}.`,
    async () => (await overdue())?.count,
  );
  gauge(registry, 'kibble_timers_overdue_oldest_seconds', 'How long the first of them has been; 0: none.', async () => {
    const found = await overdue();
    return found && seconds(found.oldestMs);
  });

  const failing = asked('failing', () => counts.failing());
  const ofState = (name: string, help: string, state: FailingTimers['state']): void =>
    labelledGauge(registry, { name, help, label: 'kind' }, async () => {
      const found = await failing();
      return (
        found &&
        sums(
          kinds,
          found.filter((timers) => timers.state === state),
        )
      );
    });
  ofState('kibble_timers_dead', 'Timers that gave up, kept until somebody revives or cancels them.', 'dead');
  ofState(
    'kibble_timers_failing',
    'Scheduled timers that failed and are tried again; derived ones are stuck.',
    'scheduled',
  );

  const entries = asked('index', () => index.orders.counts().then(sumOf));
  gauge(registry, 'kibble_index_entries', 'Timers that wait in the index, handed-off ones not among them.', entries);
  const unacked = asked('hand-off', () => index.queue.oldestUnackedMs().then((ages) => Math.max(0, ...ages)));
  gauge(
    registry,
    'kibble_hand_off_oldest_seconds',
    'Age of the oldest hand-off that is not acked; 0: none.',
    async () => {
      const oldestMs = await unacked();
      return oldestMs === undefined ? undefined : seconds(oldestMs);
    },
  );

  const lag = asked('consumers', () => (consumers.length > 0 ? consumerStore.lag(consumers, LAG_COUNTED) : noLag));
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

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const noLag: Promise<ReadonlyMap<string, number>> = Promise.resolve(new Map());

/** By kind. A kind that nobody here registered may be anybody's invention: it must not become a label. */
const sums = (kinds: readonly string[], found: readonly FailingTimers[]): ReadonlyMap<string, number> => {
  const byKind = new Map(kinds.map((kind) => [kind, 0]));
  for (const { kind, count } of found) {
    const label = kinds.includes(kind) ? kind : 'other';
    byKind.set(label, (byKind.get(label) ?? 0) + count);
  }
  return byKind;
};
