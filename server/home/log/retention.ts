const BATCH = 500;
const EVERY_MS = 60_000;
/** The pause between full batches, so that a backlog leaves room for other work. */
const BETWEEN_BATCHES_MS = 100;

interface Dependencies {
  readonly store: RetainedStore;
  readonly eventsMs: number;
}

/**
 * Deletes old events in small batches. The work grows with the homes of a batch: if it takes too long, the next batch has
 * fewer events, hence fewer homes.
 */
export class Retention {
  readonly #on: Dependencies;
  #batch = BATCH;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  tick = async (): Promise<number> => {
    const { store, eventsMs } = this.#on;
    const nowMs = await store.nowMs();
    const limit = this.#batch;
    this.#batch = Math.ceil(limit / 4);
    const events = await store.foldEvents(nowMs - eventsMs, limit);
    this.#batch = Math.min(BATCH, limit + Math.ceil(limit / 16));
    return events < limit ? EVERY_MS : BETWEEN_BATCHES_MS;
  };
}

/** Rows that are retained for a limited time. Errors of the world are thrown unchanged. */
export interface RetainedStore {
  nowMs(): Promise<number>;

  /**
   * Folds up to `limit` of the oldest events into their homes' checkpoints and deletes them, in one transaction: events
   * before `beforeMs` that every consumer has read. Leaves and logs a home whose log cannot be folded. Leaves the log of
   * a home that a retired module has opened. Returns how many events it folded or left for that.
   */
  foldEvents(beforeMs: number, limit: number): Promise<number>;
}
