import type { Exclusive } from '../runtime/exclusive.ts';
import type { StoreClock } from './clock/store-clock.ts';
import type { CommandRows, RowPages } from './model/timer-store.ts';

const BATCH = 1000;
const EVERY_MS = 60_000;
/** Between full batches, so that pruning a backlog leaves room for everything else. */
const BETWEEN_BATCHES_MS = 100;

interface Dependencies {
  readonly store: Pick<RowPages, 'prune'> & Pick<CommandRows, 'pruneCommands'>;
  readonly storeClock: StoreClock;
  readonly exclusive: Exclusive;
  readonly retentionMs: number;
  readonly deadRetentionMs: number;
}

/** Deletes finished rows, dead ones, and what calls with an idempotency key did, when their retention time is over. */
export class Pruner {
  readonly #store: Dependencies['store'];
  readonly #storeClock: StoreClock;
  readonly #exclusive: Exclusive;
  readonly #retentionMs: number;
  readonly #deadRetentionMs: number;

  constructor({ store, storeClock, exclusive, retentionMs, deadRetentionMs }: Dependencies) {
    this.#store = store;
    this.#storeClock = storeClock;
    this.#exclusive = exclusive;
    this.#retentionMs = retentionMs;
    this.#deadRetentionMs = deadRetentionMs;
  }

  tick = async (): Promise<number> => {
    if (!(await this.#exclusive.tryHold())) return EVERY_MS;
    const nowMs = Math.floor(this.#storeClock.nowMs());
    const beforeMs = nowMs - this.#retentionMs;
    const pruned = [
      await this.#store.prune(beforeMs, BATCH),
      await this.#store.prune(nowMs - this.#deadRetentionMs, BATCH, true),
      await this.#store.pruneCommands(beforeMs, BATCH),
    ];
    return pruned.every((count) => count < BATCH) ? EVERY_MS : BETWEEN_BATCHES_MS;
  };
}
