import type { OpsWork } from './ops-thing.ts';
import type { OpsAudit, OpsTimer } from './ops-timer.ts';

/** One entry of the log that has to do with a thing, and what it did to the due time. */
export interface OpsStep {
  readonly seq: number;
  readonly at: number;
  /** What the clock said when it was written; undefined: the same within a second. */
  readonly readAtMs: number | undefined;
  /** Of the event; `kept`: the thing as a checkpoint of the log has it. */
  readonly type: string;
  readonly dueBeforeMs: number | undefined;
  readonly dueAfterMs: number | undefined;
  /** `dueAfterMs - dueBeforeMs`. */
  readonly effectMs: number;
  /** Work that was left just before, as of `at`, and what is left from then on. */
  readonly workBefore: OpsWork | undefined;
  readonly workAfter: OpsWork | undefined;
  /** Fields of the event: card, count, who and why. Of `kept` the thing's. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Why a thing is due when it is: what happened to it since it last rested or came due. */
export interface OpsExplanation {
  readonly playerId: string;
  readonly module: string;
  readonly thing: string;
  readonly title: string | undefined;
  readonly run: string;
  /** `resting`: it was never due and never waited. */
  readonly state: 'running' | 'waiting' | 'completed' | 'stopped' | 'resting';
  /** Where the steps lead to. */
  readonly dueAtMs: number | undefined;
  readonly waitingSinceMs: number | undefined;
  /** What the timer's row says; undefined without a scheduled timer. */
  readonly timerDueAtMs: number | undefined;
  /** Whether both agree; what has ended has no timer. */
  readonly isConsistent: boolean;
  /** Old entries were folded into a checkpoint: the steps begin there. */
  readonly isCut: boolean;
  readonly steps: readonly OpsStep[];
  readonly nowMs: number;
}

export interface OpsTimerExplanation {
  readonly timer: OpsTimer;
  /** Of a timer that follows from a thing. */
  readonly thing: OpsExplanation | undefined;
  /** What operators did to it, newest first. */
  readonly audit: readonly OpsAudit[];
  readonly nowMs: number;
}
