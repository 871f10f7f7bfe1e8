/** Thrown by a handler when trying again is of no use: its timer is dead at once. */
export class NotRetryable extends Error {
  readonly code = 'timer/not-retryable';
  readonly retryable = false;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'NotRetryable';
  }
}
