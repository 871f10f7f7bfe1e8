import type { StoreClock } from './clock/store-clock.ts';
import type { CommandRows, KindStore, PruneQuery, RowPages } from './model/timer-store.ts';

const BATCH = 1000;
const EVERY_MS = 60_000;
/** A transaction commits that much later than the time that it writes, at most. */
const OVERLAP_MS = 600_000;
/** Between full batches, so that pruning a backlog leaves room for everything else. */
const BETWEEN_BATCHES_MS = 100;

interface Dependencies {
  readonly store: Pick<RowPages, 'prune' | 'pruneDead'> &
    Pick<CommandRows, 'pruneCommands'> &
    Pick<KindStore, 'retentions'>;
  readonly storeClock: StoreClock;
  /** Of kinds that have none of their own, and of calls with an idempotency key. */
  readonly retentionMs: number;
  readonly deadRetentionMs: number;
}

/** Deletes finished rows, dead ones, and what calls with an idempotency key did, when their retention time is over. */
export class Pruner {
  readonly #on: Dependencies;
  /** By kinds: until when everything was deleted. What other kinds keep longer is not looked through each time. */
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

/** Kinds that keep their rows for the same time. */
interface Group extends Pick<PruneQuery, 'kinds' | 'isOfOthers'> {
  readonly retentionMs: number;
}
