import type { Registry } from '@prometheus-io/client';
import type { DueIndex } from '../timer/index/due-index.ts';
import { type FailingTimers, OVERDUE_COUNTED, type TimerCounts } from '../timer/model/timer-counts.ts';
import { gauge, labelledGauge } from './gauges.ts';
import { seconds } from './seconds.ts';
import type { StoreReads } from './store-reads.ts';

export interface StoredParts {
  readonly reads: StoreReads;
  readonly counts: TimerCounts;
  readonly index: Pick<DueIndex, 'orders' | 'queue'>;
  /** All that this process has registered. Rows of others count as `other`. */
  readonly kinds: readonly string[];
}

/** The gauges that ask Postgres and the index when they are scraped: the same on each process, so take their maximum. */
export const storedGauges = (registry: Registry, parts: StoredParts): void => {
  rowGauges(registry, parts);
  failingGauges(registry, parts);
  indexGauges(registry, parts);
};

const rowGauges = (registry: Registry, { reads, counts }: StoredParts): void => {
  const pending = reads('pending', () => counts.pending());
  gauge(registry, 'kibble_timers_pending', 'Scheduled rows.', pending);
  const overdue = reads('overdue', () => counts.overdue());
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
};

const failingGauges = (registry: Registry, { reads, counts, kinds }: StoredParts): void => {
  const failing = reads('failing', () => counts.failing());
  const ofState = (name: string, help: string, state: FailingTimers['state']): void =>
    labelledGauge(registry, { name, help, label: 'kind' }, async () => {
      const found = (await failing())?.filter((timers) => timers.state === state);
      return found && sums(kinds, found);
    });
  ofState(
    'kibble_timers_dead',
    'Timers that gave up, kept for deadRetentionMs, or until somebody revives or cancels them.',
    'dead',
  );
  ofState(
    'kibble_timers_failing',
    'Scheduled timers that failed and are tried again; derived ones are stuck.',
    'scheduled',
  );
};

const indexGauges = (registry: Registry, { reads, index }: StoredParts): void => {
  const entries = reads('index', () => index.orders.counts().then(sumOf));
  gauge(registry, 'kibble_index_entries', 'Timers that wait in the index, handed-off ones not among them.', entries);
  const unacked = reads('hand-off', () => index.queue.oldestUnackedMs().then((ages) => Math.max(0, ...ages)));
  gauge(
    registry,
    'kibble_hand_off_oldest_seconds',
    'Age of the oldest hand-off that is not acked; 0: none.',
    async () => {
      const oldestMs = await unacked();
      return oldestMs === undefined ? undefined : seconds(oldestMs);
    },
  );
};

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** By kind. A kind that nobody here registered may be anybody's invention: it must not become a label. */
const sums = (kinds: readonly string[], found: readonly FailingTimers[]): ReadonlyMap<string, number> => {
  const byKind = new Map(kinds.map((kind) => [kind, 0]));
  for (const { kind, count } of found) {
    const label = kinds.includes(kind) ? kind : 'other';
    byKind.set(label, (byKind.get(label) ?? 0) + count);
  }
  return byKind;
};
