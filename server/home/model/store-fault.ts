/**
 * `down`: the store cannot be reached and nothing was done. `failed`: the transaction was rolled back.
 * `unknown`: the outcome of the commit was lost. `locked`: somebody else has the home, and nothing was done. `unsettled`: so
 * much was due that it is still being settled, and nothing else was done.
 */
export type StoreFaultKind = 'down' | 'failed' | 'unknown' | 'locked' | 'unsettled';

/** The store could not do its work. Wraps what the driver said. */
export class StoreFault extends Error {
  readonly kind: StoreFaultKind;

  constructor(kind: StoreFaultKind, cause: unknown) {
    super(`the store is ${kind}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'StoreFault';
    this.kind = kind;
  }
}

/** Whether the command took effect is not known. Sent again under the same `commandId` it takes effect once. */
export class OutcomeUnknown extends Error {
  readonly code = 'outcome/unknown';
  readonly retryable = true;

  constructor(cause: unknown) {
    super('the answer to the commit was lost: send the same commandId again', { cause });
    this.name = 'OutcomeUnknown';
  }
}
