import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import type { ClockState } from '../timer/clock/clock-guard.ts';
import type { LaneState } from '../timer/fire/lane.ts';
import type { DueIndex } from '../timer/index/due-index.ts';
import { COUNTED_TO, type FailingTimers, type TimerCounts } from '../timer/model/timer-counts.ts';
import { type GaugeRow, gaugesIn, seconds } from './metric-table.ts';
import type { StoreReads } from './store-reads.ts';
import { version } from './version.ts';

/** The interval at which the event loop's delay is measured; a quiet loop shows slightly less. */
const RESOLUTION_MS = 10;

interface TimerParts {
  readonly pool: Pool;
  readonly engine: {
    readonly shardCounts: { readonly shards: number; readonly held: number; readonly live: number };
    readonly lanes: readonly LaneState[];
  };
  readonly index: Pick<DueIndex, 'isAvailable' | 'orders' | 'queue'>;
  readonly indexKind: 'redis' | 'wheel';
  readonly health: { readonly isIndexWhole: boolean };
  readonly time: { readonly state: ClockState };
  /** All kinds of this process. Rows of other kinds count as `other`. */
  readonly kinds: readonly string[];
  readonly counts: TimerCounts;
  /** Undefined if other processes measure the same for all. */
  readonly reads: StoreReads | undefined;
}

/** Measures the event loop from `start` to `stop`. */
export interface EventLoopGauge {
  start(): void;
  stop(): void;
}

/** The gauges of the timers: those of this process, and those that read Postgres and the index. */
export const timerGauges = (registry: Registry, parts: TimerParts): EventLoopGauge => {
  const { reads } = parts;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  // Before the reads of this scrape, which would count as callers that wait for a connection.
  gaugesIn(registry, [...ofPool(parts), ...ofProcess(parts), ...ofLanes(parts), ofEventLoop(delay)]);
  if (reads) gaugesIn(registry, [...ofRows(parts, reads), ...ofFailing(parts, reads), ...ofIndex(parts, reads)]);
  new Gauge({
    name: 'kibble_build_info',
    help: 'What runs here; always 1.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1);
  return { start: () => void delay.enable(), stop: () => void delay.disable() };
};

/** Equal on each process, so take their maximum. */
const ofRows = ({ counts }: TimerParts, reads: StoreReads): readonly GaugeRow[] => {
  const overdue = reads('overdue', () => counts.overdue());
  return [
    { name: 'kibble_timers_pending', help: 'Scheduled rows.', read: reads('pending', () => counts.pending()) },
    {
      name: 'kibble_timers_overdue',
      help: `Scheduled rows that are past their time, counted up to ${COUNTED_TO}.`,
      read: async () => (await overdue())?.count,
    },
    {
      name: 'kibble_timers_overdue_oldest_seconds',
      help: 'How long the first of them has been; 0: none.',
      read: async () => known(await overdue(), ({ oldestMs }) => seconds(oldestMs)),
    },
  ];
};

const known = <Value, Shown>(value: Value | undefined, show: (value: Value) => Shown): Shown | undefined =>
  value === undefined ? undefined : show(value);

const ofFailing = ({ counts, kinds }: TimerParts, reads: StoreReads): readonly GaugeRow[] => {
  const failing = reads('failing', () => counts.failing());
  const inState = async (state: FailingTimers['state']) =>
    known(await failing(), (found) =>
      sums(
        kinds,
        found.filter((timers) => timers.state === state),
      ),
    );
  return [
    {
      name: 'kibble_timers_dead',
      help: 'Timers that gave up, kept for deadRetentionMs, or until somebody revives or cancels them.',
      label: 'kind',
      read: () => inState('dead'),
    },
    {
      name: 'kibble_timers_failing',
      help: 'Scheduled timers that failed and are tried again; derived ones are stuck.',
      label: 'kind',
      read: () => inState('scheduled'),
    },
  ];
};

/** By kind. An unregistered kind could be any text of a client, so it must not become a label. */
const sums = (kinds: readonly string[], found: readonly FailingTimers[]): ReadonlyMap<string, number> => {
  const byKind = new Map(kinds.map((kind) => [kind, 0]));
  for (const { kind, count } of found) {
    const label = kinds.includes(kind) ? kind : 'other';
    byKind.set(label, (byKind.get(label) ?? 0) + count);
  }
  return byKind;
};

const ofIndex = ({ index }: TimerParts, reads: StoreReads): readonly GaugeRow[] => {
  const unacked = reads('hand-off', () => index.queue.oldestUnackedMs().then((ages) => Math.max(0, ...ages)));
  return [
    {
      name: 'kibble_index_entries',
      help: 'Timers that wait in the index, handed-off ones not among them.',
      read: reads('index', () => index.orders.counts().then(sumOf)),
    },
    {
      name: 'kibble_hand_off_oldest_seconds',
      help: 'Age of the oldest hand-off that is not acked; 0: none.',
      read: async () => known(await unacked(), seconds),
    },
  ];
};

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const ofProcess = ({ engine, index, indexKind, health, time }: TimerParts): readonly GaugeRow[] => [
  { name: 'kibble_shards', help: 'Shards of the index.', read: () => engine.shardCounts.shards },
  { name: 'kibble_shards_held', help: 'Shards that this process hands off.', read: () => engine.shardCounts.held },
  {
    name: 'kibble_live_nodes',
    help: 'Nodes that share the shards, as this one sees it.',
    read: () => engine.shardCounts.live,
  },
  {
    name: 'kibble_index_available',
    help: 'Whether the index answers this process.',
    label: 'index',
    read: () => [[indexKind, Number(index.isAvailable)]],
  },
  {
    name: 'kibble_index_whole',
    help: 'Whether the index answers and lacks nothing; else the sweeper fires.',
    read: () => Number(health.isIndexWhole),
  },
  {
    name: 'kibble_clock_held_by_seconds',
    help: 'What the database’s clock shows beyond the time that is held since it jumped; 0 while it is trusted.',
    read: () => seconds(time.state.isHeld ? time.state.byMs : 0),
  },
];

/** A kind without a lane has 0 of each. */
const ofLanes = ({ kinds, engine }: TimerParts): readonly GaugeRow[] => {
  const counted = (count: (lane: LaneState) => number): ReadonlyMap<string, number> => {
    const counts = new Map(kinds.map((kind) => [kind, 0]));
    for (const lane of engine.lanes) counts.set(lane.kind, count(lane));
    return counts;
  };
  return [
    {
      name: 'kibble_timers_running',
      help: 'Timers whose handler runs in this process.',
      label: 'kind',
      read: () => counted(({ running }) => running),
    },
    {
      name: 'kibble_timers_waiting',
      help: 'Due timers that wait in this process for those that run.',
      label: 'kind',
      read: () => counted(({ waiting }) => waiting),
    },
  ];
};

/** A wrapper of a pool may have neither counts nor options: 0. */
const ofPool = ({ pool }: { readonly pool: Partial<Pool> }): readonly GaugeRow[] => [
  {
    name: 'kibble_database_connections',
    help: 'Connections of the pool, and callers that wait for one.',
    label: 'state',
    read: () => [
      ['in-use', (pool.totalCount ?? 0) - (pool.idleCount ?? 0)],
      ['idle', pool.idleCount ?? 0],
      ['waiting', pool.waitingCount ?? 0],
    ],
  },
  { name: 'kibble_database_connections_max', help: 'What the pool may open.', read: () => pool.options?.max ?? 0 },
];

const ofEventLoop = (delay: ReturnType<typeof monitorEventLoopDelay>): GaugeRow => ({
  name: 'kibble_event_loop_delay_seconds',
  help: 'How much later than asked the event loop came round, since the last scrape.',
  label: 'quantile',
  read: () => {
    const values = [0.5, 0.99, 1].map((quantile) => {
      const delayed = delay.percentile(quantile * 100) / 1e9 - RESOLUTION_MS / 1000;
      return [String(quantile), Math.max(0, delayed)] as const;
    });
    delay.reset();
    return values;
  },
});
