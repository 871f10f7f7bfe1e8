/** Timers of one kind that failed and are not done. */
export interface FailingTimers {
  readonly kind: string;
  readonly state: 'dead' | 'scheduled';
  readonly count: number;
}

export interface OverdueTimers {
  /** Scheduled rows that are past their time, up to `OVERDUE_COUNTED` of own kinds and as many of things. */
  readonly count: number;
  /** How long the first of them has been; 0 when there is none. */
  readonly oldestMs: number;
}

/** Beyond it the number says no more than "very many". */
export const OVERDUE_COUNTED = 10_000;

/** How the timer rows stand, for metrics. Each method throws when the store does not respond soon. */
export interface TimerCounts {
  /** Scheduled rows, exactly: reads an index of them all. */
  pending(): Promise<number>;
  overdue(): Promise<OverdueTimers>;
  failing(): Promise<readonly FailingTimers[]>;
}
