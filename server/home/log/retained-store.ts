/** What is kept for a time only. Errors of the world are thrown as they come. */
export interface RetainedStore {
  nowMs(): Promise<number>;

  /**
   * Folds up to `limit` of the oldest events into their homes' checkpoints and deletes them, in one transaction: those
   * dated before `beforeMs` that every consumer has read. Returns how many.
   */
  foldEvents(beforeMs: number, limit: number): Promise<number>;
}
