import type { StoreClock } from './clock/store-clock.ts';
import type { PruneQuery } from './model/index-entry.ts';
import type { CommandRows, KindStore, RowPages } from './model/timer-store.ts';

const BATCH = 1000;
/** Rows of other kinds are read, too. */
const MOST_READ = 10_000;
const EVERY_MS = 60_000;
/** A transaction commits at most this much later than the time that it writes. */
const OVERLAP_MS = 600_000;
/** The pause between full batches, so that pruning a backlog leaves room for other work. */
const BETWEEN_BATCHES_MS = 100;

interface Dependencies {
  readonly store: Pick<RowPages, 'prune' | 'pruneDead'> &
    Pick<CommandRows, 'pruneCommands'> &
    Pick<KindStore, 'retentions'>;
  readonly storeClock: StoreClock;
  /** For kinds without their own retention, and for results of calls with an idempotency key. */
  readonly retentionMs: number;
  readonly deadRetentionMs: number;
}

/**
 * Deletes finished rows, dead rows and results of calls with an idempotency key, after their retention time. One part
 * that fails does not keep the others.
 */
export class Pruner {
  readonly #on: Dependencies;
  /** By kinds: where the next read begins. So rows that other kinds retain longer are not read each time. */
  readonly #readFromMs = new Map<string, number>();
  /** Kinds of which nothing is left: not read again before the next rest, since other parts may take many turns. */
  readonly #done = new Set<string>();

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  tick = async (): Promise<number> => {
    const { store, storeClock, retentionMs, deadRetentionMs } = this.#on;
    const nowMs = Math.floor(storeClock.nowMs());
    const groups = await this.#groups();
    const parts = [
      ...groups.map((group) => () => this.#pruneGroup(group, nowMs)),
      async () => (await store.pruneDead(nowMs - deadRetentionMs, BATCH)) < BATCH,
      async () => (await store.pruneCommands(nowMs - retentionMs, BATCH)) < BATCH,
    ];
    const failures: unknown[] = [];
    let isDone = true;
    for (const part of parts) {
      try {
        if (!(await part())) isDone = false;
      } catch (error) {
        failures.push(error);
      }
    }
    if (isDone) this.#done.clear();
    if (failures.length > 0) throw failures[0];
    return isDone ? EVERY_MS : BETWEEN_BATCHES_MS;
  };

  async #groups(): Promise<readonly Group[]> {
    const { store, retentionMs } = this.#on;
    const retentions = await store.retentions();
    const byRetention = Map.groupBy(retentions, ([, ownMs]) => ownMs);
    return [
      { kinds: [...retentions.keys()], isOfOthers: true, retentionMs },
      ...[...byRetention].map(([ownMs, own]) => ({
        kinds: own.map(([kind]) => kind),
        isOfOthers: false,
        retentionMs: ownMs,
      })),
    ];
  }

  /** Returns whether nothing is left to delete. */
  async #pruneGroup({ retentionMs, ...group }: Group, nowMs: number): Promise<boolean> {
    const name = JSON.stringify(group);
    if (this.#done.has(name)) return true;
    const [fromMs, beforeMs] = [this.#readFromMs.get(name) ?? 0, nowMs - retentionMs];
    const query = { ...group, fromMs, beforeMs, limit: BATCH, most: MOST_READ };
    const { count, readToMs } = await this.#on.store.prune(query);
    if (count === BATCH) return false;
    const isDone = readToMs >= beforeMs;
    this.#readFromMs.set(name, isDone ? beforeMs - OVERLAP_MS : readToMs);
    if (isDone) this.#done.add(name);
    return isDone;
  }
}

/** Kinds with the same retention time. */
interface Group extends Pick<PruneQuery, 'kinds' | 'isOfOthers'> {
  readonly retentionMs: number;
}
