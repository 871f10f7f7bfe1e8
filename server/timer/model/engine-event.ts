import type { Timer } from './timer.ts';

/** Events of the engine for its metrics. Timers are as before the event. */
export type EngineMeasurement =
  | { readonly type: 'fired'; readonly kind: string; readonly timers: readonly Timer[]; readonly nowMs: number }
  | { readonly type: 'failed' | 'dead' | 'stuck'; readonly timer: Timer; readonly error: unknown }
  | { readonly type: 'requeued'; readonly reason: RequeueReason; readonly count: number }
  /** There was no room for these timers; their rows have a later fire time. */
  | { readonly type: 'deferred'; readonly kind: string; readonly count: number }
  /** Late timers: skipped, handed to handlers as late, and missed turns. Timers that died of it are `dead`. */
  | {
      readonly type: 'misfired';
      readonly kind: string;
      readonly skipped: number;
      readonly handed: number;
      readonly missed: number;
    }
  | { readonly type: 'swept'; readonly count: number }
  /** Differences of the index: as found, and after healing. */
  | ({ readonly type: 'differing' | 'reconciled' } & IndexDifferences)
  | { readonly type: 'rebuilt'; readonly count: number; readonly tookMs: number };

export interface IndexDifferences {
  readonly missing: number;
  readonly misplaced: number;
  readonly ghosts: number;
}

export const requeueReasons = ['not-due', 'unknown-kind', 'paused', 'locked', 'world-fault', 'stopping'] as const;
export type RequeueReason = (typeof requeueReasons)[number];

export type Observe = (event: EngineMeasurement) => void;

/** A timer that was moved into the past counts from the move: it could not fire before. */
export const latenessMs = ({ dueAtMs, updatedAtMs, lateness }: Timer, nowMs: number): number =>
  // The time of the judgement of a late timer must not make it punctual.
  Math.max(0, nowMs - (lateness ? dueAtMs : Math.max(dueAtMs, updatedAtMs)));
