/** Failed timers of one kind that are not finished. */
export interface FailingTimers {
  readonly kind: string;
  readonly state: 'dead' | 'scheduled';
  readonly count: number;
}

export interface OverdueTimers {
  /** Scheduled rows past their due time, up to `COUNTED_TO` of own kinds and as many of things. */
  readonly count: number;
  /** How long the first of them is overdue; 0 if there is none. */
  readonly oldestMs: number;
}

/** A bounded count that reaches it means: so many or more. Rows beyond are not read, however many there are. */
export const COUNTED_TO = 10_000;
/** The same for each bucket of a histogram of 30. */
export const BUCKET_COUNTED_TO = 2_000;

/** Counts of timer rows for metrics. Each method throws when the store does not respond soon. */
export interface TimerCounts {
  /** Scheduled rows, exactly: reads an index of all of them. */
  pending(): Promise<number>;
  overdue(): Promise<OverdueTimers>;
  failing(): Promise<readonly FailingTimers[]>;
}
