const BATCH = 500;
const EVERY_MS = 60_000;
/** Between full batches, so that a backlog leaves room for everything else. */
const BETWEEN_BATCHES_MS = 100;

interface Dependencies {
  readonly store: RetainedStore;
  readonly eventsMs: number;
}

/** Lets go of old events, a little at a time. */
export class Retention {
  readonly #on: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  tick = async (): Promise<number> => {
    const { store, eventsMs } = this.#on;
    const nowMs = await store.nowMs();
    const events = await store.foldEvents(nowMs - eventsMs, BATCH);
    return events < BATCH ? EVERY_MS : BETWEEN_BATCHES_MS;
  };
}

/** What is kept for a time only. Errors of the world are thrown as they come. */
export interface RetainedStore {
  nowMs(): Promise<number>;

  /**
   * Folds up to `limit` of the oldest events into their homes' checkpoints and deletes them, in one transaction: those
   * dated before `beforeMs` that every consumer has read. Returns how many.
   */
  foldEvents(beforeMs: number, limit: number): Promise<number>;
}
