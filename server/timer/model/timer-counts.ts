/** Failed timers of one kind that are not finished. */
export interface FailingTimers {
  readonly kind: string;
  readonly state: 'dead' | 'scheduled';
  readonly count: number;
}

export interface OverdueTimers {
  /** Scheduled rows past their due time, up to `OVERDUE_COUNTED` of own kinds and as many of things. */
  readonly count: number;
  /** How long the first of them is overdue; 0 if there is none. */
  readonly oldestMs: number;
}

/** A count that reaches it only means "very many". */
export const OVERDUE_COUNTED = 10_000;

/** Counts of timer rows for metrics. Each method throws when the store does not respond soon. */
export interface TimerCounts {
  /** Scheduled rows, exactly: reads an index of all of them. */
  pending(): Promise<number>;
  overdue(): Promise<OverdueTimers>;
  failing(): Promise<readonly FailingTimers[]>;
}
