/** The due index did not respond. What was asked of it may or may not have happened. */
export class IndexUnavailable extends Error {
  readonly code = 'timer/index-unavailable';
  readonly retryable = true;

  constructor(cause: unknown) {
    super('the due index is unavailable', { cause });
    this.name = 'IndexUnavailable';
  }
}
