import type { Timer } from './timer.ts';

/** What the engine tells its metrics. Timers are as they were before. */
export type EngineEvent =
  | { readonly type: 'fired'; readonly kind: string; readonly timers: readonly Timer[]; readonly nowMs: number }
  | { readonly type: 'failed' | 'dead' | 'stuck'; readonly timer: Timer; readonly error: unknown }
  | { readonly type: 'requeued'; readonly reason: RequeueReason; readonly count: number }
  /** There was no room for them now: their rows say when they come again. */
  | { readonly type: 'deferred'; readonly kind: string; readonly count: number }
  /** Came late: not fired, told to their handlers, and turns that nobody fired. Those that died of it are `dead`. */
  | {
      readonly type: 'misfired';
      readonly kind: string;
      readonly skipped: number;
      readonly handed: number;
      readonly missed: number;
    }
  | { readonly type: 'swept'; readonly count: number }
  /** What the index lacked, had at another time, and had too much: as found, and when it is healed. */
  | ({ readonly type: 'differing' | 'reconciled' } & IndexDifferences)
  | { readonly type: 'rebuilt'; readonly count: number; readonly tookMs: number };

export interface IndexDifferences {
  readonly missing: number;
  readonly misplaced: number;
  readonly ghosts: number;
}

export const requeueReasons = ['not-due', 'unknown-kind', 'paused', 'locked', 'world-fault', 'stopping'] as const;
export type RequeueReason = (typeof requeueReasons)[number];

export type Observe = (event: EngineEvent) => void;
