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
}

/** Lets go of old events, a little at a time. */
export class Retention {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  tick = async (): Promise<number> => {
    const { store, exclusive, eventsMs } = this.#dependencies;
    if (!(await exclusive.tryHold())) return EVERY_MS;
    const nowMs = await store.nowMs();
    const events = await store.foldEvents(nowMs - eventsMs, BATCH);
    return events < BATCH ? EVERY_MS : BETWEEN_BATCHES_MS;
  };
}
