import type { OpsWork } from './ops-thing.ts';
import type { OpsAudit, OpsTimer } from './ops-timer.ts';

/** One entry of the log that concerns a thing, and its effect on the due time. */
export interface OpsStep {
  readonly seq: number;
  readonly at: number;
  /** The clock reading at the write; undefined: the same within a second. */
  readonly readAtMs: number | undefined;
  /** The event's type; `kept`: the thing in a checkpoint of the log. */
  readonly type: string;
  readonly dueBeforeMs: number | undefined;
  readonly dueAfterMs: number | undefined;
  /** `dueAfterMs - dueBeforeMs`. */
  readonly effectMs: number;
  /** The remaining work before, as of `at`, and after. */
  readonly workBefore: OpsWork | undefined;
  readonly workAfter: OpsWork | undefined;
  /** Fields of the event: card, count, operator, reason. For `kept`: the thing's fields. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Explains a thing's due time: its history since it last rested or came due. */
export interface OpsExplanation {
  readonly playerId: string;
  readonly module: string;
  readonly thing: string;
  readonly title: string | undefined;
  readonly run: string;
  /** `resting`: it was never due and never waited. */
  readonly state: 'running' | 'waiting' | 'completed' | 'stopped' | 'resting';
  /** The due time that the steps give. */
  readonly dueAtMs: number | undefined;
  readonly waitingSinceMs: number | undefined;
  /** The due time in the timer's row; undefined without a scheduled timer. */
  readonly timerDueAtMs: number | undefined;
  /** Whether both agree; an ended run has no timer. */
  readonly isConsistent: boolean;
  /** Older entries were folded into a checkpoint: the steps begin there. */
  readonly isCut: boolean;
  readonly steps: readonly OpsStep[];
  readonly nowMs: number;
}

export interface OpsTimerExplanation {
  readonly timer: OpsTimer;
  /** For a timer of a thing. */
  readonly thing: OpsExplanation | undefined;
  /** Operators' acts on it, newest first. */
  readonly audit: readonly OpsAudit[];
  readonly nowMs: number;
}
