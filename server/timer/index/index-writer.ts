import type { IndexChanges } from '../model/index-entry.ts';
import { type DueIndex, IndexUnavailable } from './due-index.ts';

/** The most updates in one call of the index. */
const BATCH = 1000;
/** While more are queued, callers wait: so they write as fast as the index does. */
const MOST_QUEUED = 10_000;
/** Home commands do not wait. Their updates beyond this bound are dropped and reported to `onMissed`. */
const MOST_HELD = 100_000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'isAvailable' | 'orders'>;
  /** Makes the index follow the generation in force. */
  readonly look?: () => Promise<void>;
  /** Receives the owners of lost updates: their entries may differ from their rows. */
  readonly onMissed?: (owners: readonly string[]) => void;
  /** Receives errors of batches other than `IndexUnavailable`. */
  readonly onFault?: (error: unknown) => void;
}

/** For writes that do not wait for the index. */
export type IndexPublisher = Pick<IndexWriter, 'publish' | 'room' | 'idle'>;

/**
 * Updates the index after commits. An index that is away is no failure for the caller, because the rows are committed.
 * A lost update is reported to `onMissed`; the sweeper and the reconciler find it too.
 */
export class IndexWriter {
  readonly #on: Required<Dependencies>;
  #queue: IndexChanges[] = [];
  #queued = 0;
  #sending: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  constructor({ index, look = async () => undefined, onMissed = noop, onFault = noop }: Dependencies) {
    this.#on = { index, look, onMissed, onFault };
  }

  /** Sends the changes at once and waits for the index. Throws any error except `IndexUnavailable`. */
  async apply(changes: IndexChanges): Promise<void> {
    if (sizeOf(changes) === 0) return;
    if (this.#on.index.isAvailable && (await this.#send(changes))) return;
    this.#on.onMissed(ownersOf(changes));
  }

  /** Queues the changes and returns at once: one batch is sent at a time, with all that was queued meanwhile. Never throws. */
  publish(changes: IndexChanges): void {
    const size = sizeOf(changes);
    if (size === 0) return;
    if (!this.#on.index.isAvailable || this.#queued > MOST_HELD) {
      this.#on.onMissed(ownersOf(changes));
      return;
    }
    this.#queue.push(changes);
    this.#queued += size;
    this.#sending ??= this.#sendQueued();
  }

  /** Resolves when no more than 10,000 updates are queued. */
  async room(): Promise<void> {
    while (this.#queued > MOST_QUEUED) {
      this.#room ??= Promise.withResolvers();
      await this.#room.promise;
    }
  }

  /** Resolves when every published change is in the index, or its owner was reported to `onMissed`. */
  async idle(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  async #sendQueued(): Promise<void> {
    // Includes changes that are published in the same turn of the event loop.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const changes = this.#nextBatch();
      this.#makeRoom();
      try {
        if (!(await this.#send(changes))) this.#miss(changes);
      } catch (error) {
        this.#on.onMissed(ownersOf(changes));
        this.#on.onFault(error);
      }
    }
    this.#sending = undefined;
  }

  #nextBatch(): IndexChanges {
    let size = 0;
    let count = 0;
    for (const changes of this.#queue) {
      if (count > 0 && size + sizeOf(changes) > BATCH) break;
      size += sizeOf(changes);
      count += 1;
    }
    const batch = this.#queue.splice(0, count);
    this.#queued -= size;
    return { put: batch.flatMap(({ put }) => put), remove: batch.flatMap(({ remove }) => remove) };
  }

  /** The index is away: drops the queue and reports its owners. */
  #miss(changes: IndexChanges): void {
    const lost = [changes, ...this.#queue];
    this.#queue = [];
    this.#queued = 0;
    this.#makeRoom();
    this.#on.onMissed(lost.flatMap(ownersOf));
  }

  #makeRoom(): void {
    if (this.#queued > MOST_QUEUED) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** False when the index is away. */
  async #send({ put, remove }: IndexChanges): Promise<boolean> {
    try {
      if (put.length > 0 && !(await this.#on.index.orders.put(put))) {
        await this.#on.look();
        // After a second refusal a coming refill reads the rows, unless it has passed them.
        if (!(await this.#on.index.orders.put(put))) this.#on.onMissed(ownersOf({ put, remove: [] }));
      }
      if (remove.length > 0) await this.#on.index.orders.remove(remove);
      return true;
    } catch (error) {
      if (!(error instanceof IndexUnavailable)) throw error;
      return false;
    }
  }
}

const noop = (): void => undefined;

const sizeOf = ({ put, remove }: IndexChanges): number => put.length + remove.length;

const ownersOf = ({ put, remove }: IndexChanges): readonly string[] => [
  ...new Set([...put, ...remove].map(({ owner }) => owner)),
];
