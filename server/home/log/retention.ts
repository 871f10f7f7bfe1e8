import type { RetainedStore } from './retained-store.ts';

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
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  tick = async (): Promise<number> => {
    const { store, eventsMs } = this.#dependencies;
    const nowMs = await store.nowMs();
    const events = await store.foldEvents(nowMs - eventsMs, BATCH);
    return events < BATCH ? EVERY_MS : BETWEEN_BATCHES_MS;
  };
}
