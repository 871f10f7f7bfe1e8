/** A handler throws it when a retry is pointless: its timer is dead at once. */
export class NotRetryable extends Error {
  readonly code = 'timer/not-retryable';
  readonly retryable = false;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'NotRetryable';
  }
}
