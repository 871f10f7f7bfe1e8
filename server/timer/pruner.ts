import type { StoreClock } from './clock/store-clock.ts';
import type { CommandRows, KindStore, PruneQuery, RowPages } from './model/timer-store.ts';

const BATCH = 1000;
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

/** Deletes finished rows, dead rows and results of calls with an idempotency key, after their retention time. */
export class Pruner {
  readonly #on: Dependencies;
  /** By kinds: the time until which all rows are deleted. So rows that other kinds retain longer are not read each time. */
  #doneUntilMs: ReadonlyMap<string, number> = new Map();

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  tick = async (): Promise<number> => {
    const { store, storeClock, retentionMs, deadRetentionMs } = this.#on;
    const nowMs = Math.floor(storeClock.nowMs());
    const pruned = [
      ...(await this.#pruneFinished(nowMs)),
      await store.pruneDead(nowMs - deadRetentionMs, BATCH),
      await store.pruneCommands(nowMs - retentionMs, BATCH),
    ];
    return pruned.every((count) => count < BATCH) ? EVERY_MS : BETWEEN_BATCHES_MS;
  };

  async #pruneFinished(nowMs: number): Promise<readonly number[]> {
    const { store, retentionMs } = this.#on;
    const retentions = await store.retentions();
    const byRetention = Map.groupBy(retentions, ([, ownMs]) => ownMs);
    const groups: Group[] = [
      { kinds: [...retentions.keys()], isOfOthers: true, retentionMs },
      ...[...byRetention].map(([ownMs, own]) => ({
        kinds: own.map(([kind]) => kind),
        isOfOthers: false,
        retentionMs: ownMs,
      })),
    ];
    const counts: number[] = [];
    const doneUntilMs = new Map<string, number>();
    for (const { retentionMs: keptMs, ...group } of groups) {
      const name = JSON.stringify(group);
      const [fromMs, beforeMs] = [(this.#doneUntilMs.get(name) ?? OVERLAP_MS) - OVERLAP_MS, nowMs - keptMs];
      const count = await store.prune({ ...group, fromMs, beforeMs, limit: BATCH });
      counts.push(count);
      doneUntilMs.set(name, count < BATCH ? Math.max(fromMs, beforeMs) : fromMs);
    }
    this.#doneUntilMs = doneUntilMs;
    return counts;
  }
}

/** Kinds with the same retention time. */
interface Group extends Pick<PruneQuery, 'kinds' | 'isOfOthers'> {
  readonly retentionMs: number;
}
