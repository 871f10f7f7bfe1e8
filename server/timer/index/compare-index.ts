import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { IndexDifferences, Observe } from '../model/engine-event.ts';
import type { IndexEntry } from '../model/index-entry.ts';
import { entryOf } from '../model/index-entry.ts';
import type { PageCursor, TimerStore } from '../model/timer-store.ts';
import type { DueIndex } from './due-index.ts';

/** What is due, or about to be, may be on its way to a worker: the sweeper's business. */
export const MARGIN_MS = 1000;
/** Rows compared at once: what fires meanwhile waits for a page, so a page takes about a millisecond. */
const PAGE = 500;

/** What differs still at a second look. */
export interface IndexDifference {
  readonly timerId: string;
  readonly owner: string;
  /** When the row says that it fires; undefined: it is not scheduled. */
  readonly rowAtMs: number | undefined;
  /** When the index says so; undefined: it does not have it. */
  readonly indexAtMs: number | undefined;
  /** The row's, or that of an entry too much, as far as the index knows it. */
  readonly revision: number;
}

export interface Comparison {
  readonly store: Pick<TimerStore, 'page' | 'read'>;
  readonly index: Pick<DueIndex, 'orders'>;
  /** Undefined: nothing is healed. */
  readonly heal: ((differences: readonly IndexDifference[]) => Promise<void>) | undefined;
  /** Before the second look. Default: none. */
  readonly pause?: () => Promise<unknown>;
  readonly page?: number;
}

/** Rows from a place on, as far as they fire before an instant. */
export interface Stretch {
  readonly from: PageCursor;
  readonly beforeMs: number;
}

export interface ComparedPage {
  readonly differences: readonly IndexDifference[];
  readonly rows: number;
  /** Where the next page begins; undefined at the end of the stretch. */
  readonly next: PageCursor | undefined;
}

/** Compares one page of rows with the entries of the same time, both ways. */
export const comparePage = async (comparison: Comparison, { from, beforeMs }: Stretch): Promise<ComparedPage> => {
  const { store, index, heal, pause, page = PAGE } = comparison;
  const { entries, next } = await store.page(from, page);
  const rows = entries.filter(({ fireAtMs }) => fireAtMs < beforeMs);
  const isLast = next === undefined || rows.length < entries.length;
  const times = await index.orders.fireTimes(rows);
  const suspects = new Map<string, IndexEntry>();
  for (const row of rows) if (times.get(row.timerId) !== row.fireAtMs) suspects.set(row.timerId, row);
  // Not those of an instant that lies on several pages, of which this one knows a part only.
  const stretch = { fromMs: from.timerId === FIRST_ID ? from.fireAtMs : from.fireAtMs + 1, page };
  const ghosts = await unknownIn(index, rows, { ...stretch, beforeMs: isLast ? beforeMs : next.fireAtMs });
  for (const ghost of ghosts) suspects.set(ghost.timerId, ghost);
  const differences: IndexDifference[] = [];
  if (suspects.size > 0) await pause?.();
  for (let at = 0; at < suspects.size; at += page) {
    const some = [...suspects.values()].slice(at, at + page);
    const found = await lookAgain({ store, suspects: some, times: () => index.orders.fireTimes(some) });
    await heal?.(found);
    differences.push(...found);
  }
  return { differences, rows: rows.length, next: isLast ? undefined : next };
};

/** Compares all rows from an instant on with the index, both ways, page by page. */
export async function* compareIndex(comparison: Comparison, fromMs: number): AsyncGenerator<ComparedPage> {
  let from: PageCursor | undefined = startOf(fromMs);
  while (from !== undefined) {
    const compared: ComparedPage = await comparePage(comparison, { from, beforeMs: LATEST_MS });
    yield compared;
    from = compared.next;
  }
}

/** The second look: what was being written at the first has settled by now. */
export const lookAgain = async (look: {
  readonly store: Pick<TimerStore, 'read'>;
  readonly suspects: readonly IndexEntry[];
  /** When the index has them, by id. */
  readonly times: () => Promise<ReadonlyMap<string, number>>;
}): Promise<readonly IndexDifference[]> => {
  const { timers, nowMs } = await look.store.read(look.suspects.map(({ timerId }) => timerId));
  const rows = new Map(timers.map((timer) => [timer.id, timer]));
  const times = await look.times();
  return look.suspects.flatMap(({ timerId, owner, revision }): readonly IndexDifference[] => {
    const [row, indexAtMs] = [rows.get(timerId), times.get(timerId)];
    if (row === undefined) {
      return indexAtMs === undefined ? [] : [{ timerId, owner, revision, rowAtMs: undefined, indexAtMs }];
    }
    const isAsItShould = row.fireAtMs === indexAtMs || row.fireAtMs <= nowMs + MARGIN_MS;
    return isAsItShould ? [] : [{ ...entryOf(row), rowAtMs: row.fireAtMs, indexAtMs }];
  });
};

/** Puts what is missing or misplaced, removes what is too much; says so before and after. */
export const healer =
  (index: Pick<DueIndex, 'orders'>, observe: Observe) =>
  async (differences: readonly IndexDifference[]): Promise<void> => {
    if (differences.length === 0) return;
    const counts = countsOf(differences);
    observe({ type: 'differing', ...counts });
    await index.orders.put(
      differences.flatMap(({ timerId, owner, revision, rowAtMs: fireAtMs }) =>
        fireAtMs === undefined ? [] : [{ timerId, owner, revision, fireAtMs }],
      ),
    );
    await index.orders.remove(differences.filter(({ rowAtMs }) => rowAtMs === undefined));
    observe({ type: 'reconciled', ...counts });
  };

export const countsOf = (differences: readonly IndexDifference[]): IndexDifferences => {
  const ghosts = differences.filter(({ rowAtMs }) => rowAtMs === undefined).length;
  const missing = differences.filter(({ indexAtMs }) => indexAtMs === undefined).length;
  return { missing, misplaced: differences.length - missing - ghosts, ghosts };
};

/** Before all others. */
const FIRST_ID = '0';

export const startOf = (fireAtMs: number): PageCursor => ({ fireAtMs, timerId: FIRST_ID });

/** Entries that no row of the page is for. */
const unknownIn = async (
  index: Pick<DueIndex, 'orders'>,
  rows: readonly IndexEntry[],
  { fromMs, beforeMs, page }: { readonly fromMs: number; readonly beforeMs: number; readonly page: number },
): Promise<readonly IndexEntry[]> => {
  if (fromMs >= beforeMs) return [];
  const known = new Set(rows.map(({ timerId }) => timerId));
  return (await index.orders.between(fromMs, beforeMs, page)).filter(({ timerId }) => !known.has(timerId));
};
