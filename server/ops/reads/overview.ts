import type { OpsOverview } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import { COUNTED_TO } from '../../timer/model/timer-counts.ts';
import type { KindStore } from '../../timer/model/timer-store.ts';
import type { OpsResult } from '../perform/ops-call.ts';
import type { Activity } from './activity.ts';
import type { TimerLists } from './timer-reads.ts';

export interface OverviewSources {
  readonly reads: Pick<TimerLists, 'counts'>;
  readonly kinds: Pick<KindStore, 'registeredKinds' | 'pausedKinds'>;
  readonly activity: Activity;
  /** The lanes of this process, by kind. */
  readonly lanes: () => OpsOverview['process']['lanes'];
  /** The name of this process. */
  readonly process: string;
  /** The parts that are degraded; undefined: not ready. */
  readonly degraded: () => readonly string[] | undefined;
  /** Age of the oldest unacked delivery. Undefined while the index is away. */
  readonly oldestUnackedMs: () => Promise<number | undefined>;
}

/** The overview. Counts are of the database; commands and lateness only of this process. */
export const overview = async (sources: OverviewSources): Promise<OpsResult<OpsOverview>> => {
  const { reads, kinds, activity, degraded, oldestUnackedMs } = sources;
  const [counts, registered, paused, unackedMs] = await Promise.all([
    reads.counts(),
    kinds.registeredKinds(),
    kinds.pausedKinds(),
    oldestUnackedMs(),
  ]);
  const { nowMs, pending, overdue, dead, stuck, players, oldestFireAtMs } = counts;
  return ok({
    nowMs,
    countedTo: COUNTED_TO,
    pending,
    overdue,
    dead,
    stuck,
    players,
    oldestOverdueMs: Math.max(0, nowMs - (oldestFireAtMs ?? nowMs)),
    oldestUnackedMs: unackedMs,
    degraded: degraded() ?? ['starting'],
    kinds: [...registered.keys()].sort().map((kind) => ({ kind, isPaused: paused.has(kind) })),
    process: {
      name: sources.process,
      commandsPerSecond: activity.commandsPerSecond(),
      lateness: activity.lateness(),
      commands: activity.commands(),
      lanes: sources.lanes(),
      differences: activity.differences(),
    },
  });
};
