import type { OpsAudit, OpsTimer } from './ops-timer.ts';

/** One entry of the log that has to do with a feeding, and what it did to the due time. */
export interface OpsStep {
  readonly seq: number;
  readonly at: number;
  readonly type:
    | 'started'
    | 'arrived'
    | 'kept'
    | 'cut'
    | 'boosted'
    | 'armed'
    | 'shifted'
    | 'completed'
    | 'stopped'
    | 'moved-away';
  readonly dueBeforeMs: number | undefined;
  readonly dueAfterMs: number | undefined;
  /** `dueAfterMs - dueBeforeMs`. */
  readonly effectMs: number;
  /** The numbers behind it: work, card, count, rate, who and why. */
  readonly facts: Readonly<Record<string, string | number>>;
}

export interface OpsExplanation {
  readonly playerId: string;
  readonly petId: string;
  readonly feedingId: string;
  readonly state: 'running' | 'completed' | 'stopped';
  /** Where the steps lead to. */
  readonly dueAtMs: number | undefined;
  /** What the timer's row says; undefined without a scheduled timer. */
  readonly timerDueAtMs: number | undefined;
  /** Whether both agree; a feeding that has ended has no timer. */
  readonly isConsistent: boolean;
  /** Old entries were folded into a checkpoint: the steps begin there. */
  readonly isCut: boolean;
  readonly steps: readonly OpsStep[];
  readonly nowMs: number;
}

export interface OpsTimerExplanation {
  readonly timer: OpsTimer;
  /** Of a feeding. */
  readonly feeding: OpsExplanation | undefined;
  /** What operators did to it, newest first. */
  readonly audit: readonly OpsAudit[];
  readonly nowMs: number;
}
