/** A recurrence or a misfire policy that cannot work: thrown before anything is written. */
export class ScheduleRefused extends RangeError {
  readonly code:
    | 'timer/two-recurrences'
    | 'timer/bad-interval'
    | 'timer/bad-cron'
    | 'timer/bad-time-zone'
    | 'timer/bad-end'
    | 'timer/never-again'
    | 'timer/bad-misfire';
  readonly retryable = false;
  /** What to do about it. */
  readonly remedy: string;

  constructor(code: ScheduleRefused['code'], what: string, remedy: string) {
    super(`${what}: ${remedy}`);
    this.name = 'ScheduleRefused';
    this.code = code;
    this.remedy = remedy;
  }
}
