/** A call of timers that the caller has to change. Nothing was written. The message says what is wrong, and what to do. */
export class TimerRefused extends Error {
  readonly code: 'kind/unknown' | 'key/reused' | 'due/endless';
  readonly retryable = false;

  constructor(code: TimerRefused['code'], message: string) {
    super(message);
    this.name = 'TimerRefused';
    this.code = code;
  }
}
