import type { RejectionCode } from '../../../shared/protocol.ts';
import type { Clock } from '../../runtime/clock.ts';

/** What the homes tell their metrics. Names no player. Durations in milliseconds, not whole. */
export type HomeMeasurement =
  /** A command got its outcome; `unknown`: the outcome of a commit was lost. */
  | {
      readonly type: 'answered';
      readonly command: string;
      readonly code: 'ok' | 'unknown' | RejectionCode;
      readonly tookMs: number;
    }
  /** A transaction of the write path ended. */
  | { readonly type: 'batch'; readonly homes: number; readonly isCommitted: boolean; readonly tookMs: number }
  /** A commit was handed to those who follow its player; counted from the commit, which another process may have made. */
  | { readonly type: 'pushed'; readonly tookMs: number };

/** Rules of one home ran in one go for longer than `SLOW_RULES_MS`, and had the processor for as long. */
export interface SlowRules {
  readonly playerId: string;
  /** Whose rules: of the command, else of the things that settling changed. All modules where it could be any of them. */
  readonly modules: readonly string[];
  /** The only thing that settling changed, or the one on which a rule failed. */
  readonly thing: string | undefined;
  /** Undefined: it was settling, or a look. */
  readonly command: string | undefined;
  /** Milliseconds, not whole. */
  readonly tookMs: number;
}

/** With what the homes are measured. */
export interface HomeMeasure {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'cpuMs'>;
  readonly observe: (measurement: HomeMeasurement) => void;
  /** Called while the transaction is still open: its commit may fail because the rules took so long. */
  readonly slow: (slow: SlowRules) => void;
}

/** A batch of so many homes begins: call what it returns when it has ended; only the first call counts. */
export const measuringBatch = (measure: HomeMeasure | undefined, homes: number): ((isCommitted: boolean) => void) => {
  if (!measure) return () => undefined;
  const startedAtMs = measure.clock.monotonicMs();
  let isMeasured = false;
  return (isCommitted) => {
    const tookMs = measure.clock.monotonicMs() - startedAtMs;
    if (!isMeasured) measure.observe({ type: 'batch', homes, isCommitted, tookMs });
    isMeasured = true;
  };
};
