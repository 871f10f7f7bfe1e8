import type { Exclusive } from '../../runtime/exclusive.ts';
import type { RetainedStore } from './retained-store.ts';

const BATCH = 500;
const EVERY_MS = 60_000;
/** Between full batches, so that a backlog leaves room for everything else. */
const BETWEEN_BATCHES_MS = 100;

interface Dependencies {
  readonly store: RetainedStore;
  /** The right to prune. */
  readonly exclusive: Exclusive;
  readonly eventsMs: number;
  readonly feedingsMs: number;
}

/** Lets go of old events and feedings, a little at a time. */
export class Retention {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  tick = async (): Promise<number> => {
    const { store, exclusive, eventsMs, feedingsMs } = this.#dependencies;
    if (!(await exclusive.tryHold())) return EVERY_MS;
    const nowMs = await store.nowMs();
    const events = await store.foldEvents(nowMs - eventsMs, BATCH);
    const feedings = await store.pruneFeedings(nowMs - feedingsMs, BATCH);
    return events < BATCH && feedings < BATCH ? EVERY_MS : BETWEEN_BATCHES_MS;
  };
}
