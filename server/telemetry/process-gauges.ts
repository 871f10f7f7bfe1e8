import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import type { ClockState } from '../timer/clock/clock-guard.ts';
import type { LaneState } from '../timer/fire/lane.ts';
import { gauge, labelledGauge } from './gauges.ts';
import { seconds } from './seconds.ts';
import { version } from './version.ts';

/** The event loop's delay is looked at so often; a quiet loop shows about this much less than it measures. */
const RESOLUTION_MS = 10;

export interface ProcessParts {
  readonly pool: Pool;
  readonly engine: {
    readonly standing: { readonly shards: number; readonly held: number; readonly live: number };
    readonly lanes: readonly LaneState[];
  };
  readonly index: { readonly isAvailable: boolean };
  readonly indexKind: 'redis' | 'wheel';
  readonly health: { readonly isIndexWhole: boolean };
  readonly time: { readonly state: ClockState };
  /** All that this process has registered. */
  readonly kinds: readonly string[];
}

/** Watches the event loop from `start` to `stop`. */
export interface EventLoopGauge {
  start(): void;
  stop(): void;
}

/** The gauges of this process alone. */
export const processGauges = (registry: Registry, parts: ProcessParts): EventLoopGauge => {
  const { engine, index, indexKind, health, time } = parts;
  const is = (state: boolean): number => (state ? 1 : 0);
  gauge(registry, 'kibble_shards', 'Shards of the index.', () => engine.standing.shards);
  gauge(registry, 'kibble_shards_held', 'Shards that this process hands off.', () => engine.standing.held);
  gauge(registry, 'kibble_live_nodes', 'Nodes that share the shards, as this one sees it.', () => engine.standing.live);
  laneGauges(registry, parts);
  labelledGauge(
    registry,
    { name: 'kibble_index_available', help: 'Whether the index answers this process.', label: 'index' },
    () => [[indexKind, is(index.isAvailable)]],
  );
  gauge(registry, 'kibble_index_whole', 'Whether the index answers and lacks nothing; else the sweeper fires.', () =>
    is(health.isIndexWhole),
  );
  gauge(
    registry,
    'kibble_clock_held_by_seconds',
    'What the database’s clock shows beyond the time that is held since it jumped; 0 while it is trusted.',
    () => seconds(heldByMs(time.state)),
  );
  poolGauges(registry, parts);
  new Gauge({
    name: 'kibble_build_info',
    help: 'What runs here; always 1.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1);
  return eventLoopGauge(registry);
};

const poolGauges = (registry: Registry, { pool }: ProcessParts): void => {
  labelledGauge(
    registry,
    {
      name: 'kibble_database_connections',
      help: 'Connections of the pool, and callers that wait for one.',
      label: 'state',
    },
    () => [
      ['in-use', pool.totalCount - pool.idleCount],
      ['idle', pool.idleCount],
      ['waiting', pool.waitingCount],
    ],
  );
  gauge(registry, 'kibble_database_connections_max', 'What the pool may open.', () => pool.options.max);
};

/** A kind without a lane yet has 0 of each. */
const laneGauges = (registry: Registry, { kinds, engine }: ProcessParts): void => {
  const ofLanes = (name: string, help: string, count: (lane: LaneState) => number): void =>
    labelledGauge(registry, { name, help, label: 'kind' }, () => {
      const counts = new Map(kinds.map((kind) => [kind, 0]));
      for (const lane of engine.lanes) counts.set(lane.kind, count(lane));
      return counts;
    });
  ofLanes('kibble_timers_running', 'Timers whose handler runs in this process.', ({ running }) => running);
  ofLanes(
    'kibble_timers_waiting',
    'Due timers that wait in this process for those that run.',
    ({ waiting }) => waiting,
  );
};

const heldByMs = (state: ClockState): number => (state.isHeld ? state.byMs : 0);

const eventLoopGauge = (registry: Registry): EventLoopGauge => {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const secondsAt = (quantile: number): number =>
    Math.max(0, delay.percentile(quantile * 100) / 1e9 - RESOLUTION_MS / 1000);
  labelledGauge(
    registry,
    {
      name: 'kibble_event_loop_delay_seconds',
      help: 'How much later than asked the event loop came round, since the last scrape.',
      label: 'quantile',
    },
    () => {
      const values = [0.5, 0.99, 1].map((quantile) => [String(quantile), secondsAt(quantile)] as const);
      delay.reset();
      return values;
    },
  );
  return { start: () => void delay.enable(), stop: () => void delay.disable() };
};
