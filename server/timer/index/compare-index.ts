import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { IndexDifferences, Observe } from '../model/engine-event.ts';
import type { IndexEntry, PageCursor, RowPage } from '../model/index-entry.ts';
import { entryOf } from '../model/index-entry.ts';
import type { TimerStore } from '../model/timer-store.ts';
import type { DueIndex } from './due-index.ts';
import { putRows, type RowsAndOrders } from './put-rows.ts';

/** The sweeper checks timers that are due or soon due: they may be on their way to a worker. */
export const MARGIN_MS = 1000;
/** Rows read at once. Fires wait for a page meanwhile, so a page takes about a millisecond. */
const PAGE = 500;
/**
 * After so many pages their time range is searched for entries without a row. For each search the wheel walks a whole
 * slot: 10 ms with a million timers that are hours ahead.
 */
const PAGES_A_LOOK = 10;

/** A difference that a second read confirmed. */
export interface IndexDifference {
  readonly timerId: string;
  readonly owner: string;
  /** The row's fire time; undefined: it is not scheduled. */
  readonly rowAtMs: number | undefined;
  /** The entry's fire time; undefined: the index has no entry. */
  readonly indexAtMs: number | undefined;
  /** The row's revision; without a row the entry's, as precisely as the index knows it. */
  readonly revision: number;
}

export interface Comparison {
  readonly store: Pick<TimerStore, 'page' | 'read'>;
  readonly index: Pick<DueIndex, 'orders'>;
  /** Undefined: differences are not healed. */
  readonly heal: ((differences: readonly IndexDifference[]) => Promise<void>) | undefined;
  /** Waits before the second read. Default: no wait. */
  readonly pause?: () => Promise<unknown>;
  readonly page?: number;
}

/** Rows from a place on that fire before an instant. */
export interface RowRange {
  readonly from: PageCursor;
  readonly beforeMs: number;
}

export interface Compared {
  readonly differences: readonly IndexDifference[];
  readonly rows: number;
  /** Where the next comparison begins; undefined at the end of the range. */
  readonly next: PageCursor | undefined;
}

/** Compares some pages of rows with the entries of the same time, both ways. */
export const compareSome = async (comparison: Comparison, range: RowRange): Promise<Compared> => {
  const { rows, suspects, next } = await compareRows(comparison, range);
  for (const ghost of await unknownIn(comparison, range, { rows, suspects, next })) suspects.set(ghost.timerId, ghost);
  if (suspects.size > 0) await comparison.pause?.();
  return { differences: await differing(comparison, [...suspects.values()]), rows: rows.size, next };
};

type ById = ReadonlyMap<string, IndexEntry>;

/** Reads some pages of rows, and finds rows with missing or different entries. */
const compareRows = async ({ store, index, page = PAGE }: Comparison, { from, beforeMs }: RowRange) => {
  const rows = new Map<string, IndexEntry>();
  const suspects = new Map<string, IndexEntry>();
  let next: PageCursor | undefined = from;
  for (let pages = 0; pages < PAGES_A_LOOK && next !== undefined; pages += 1) {
    const read: RowPage = await store.page(next, page);
    const some = read.entries.filter(({ fireAtMs }) => fireAtMs < beforeMs);
    next = some.length < read.entries.length ? undefined : read.next;
    const times = await index.orders.fireTimes(some);
    for (const row of some) {
      rows.set(row.timerId, row);
      if (times.get(row.timerId) !== row.fireAtMs) suspects.set(row.timerId, row);
    }
  }
  const lastMs = next?.fireAtMs;
  const last = [...rows.values()].filter(({ fireAtMs }) => fireAtMs === lastMs);
  if (lastMs === undefined || last.length === rows.size) return { rows, suspects, next };
  // The last instant may have more rows. So the next look begins with all of them, and finds entries that have no row.
  for (const { timerId } of last) {
    rows.delete(timerId);
    suspects.delete(timerId);
  }
  return { rows, suspects, next: startOf(lastMs) };
};

/** Finds entries without a row in the time range of these rows. Reads entries only if the counts differ. */
const unknownIn = async (
  { index, page = PAGE }: Comparison,
  { from, beforeMs }: RowRange,
  { rows, suspects, next }: { readonly rows: ById; readonly suspects: ById; readonly next: PageCursor | undefined },
): Promise<readonly IndexEntry[]> => {
  // Skips an instant with more rows than a look reads: an entry without a row there goes when it is due.
  const fromMs = from.timerId === FIRST_ID ? from.fireAtMs : from.fireAtMs + 1;
  const untilMs = next?.fireAtMs ?? beforeMs;
  if (fromMs >= untilMs) return [];
  let inPlace = 0;
  for (const { timerId, fireAtMs } of rows.values()) {
    if (fireAtMs >= fromMs && fireAtMs < untilMs && !suspects.has(timerId)) inPlace += 1;
  }
  if ((await index.orders.countBetween(fromMs, untilMs)) === inPlace) return [];
  const entries = await index.orders.between(fromMs, untilMs, rows.size + page);
  return entries.filter(({ timerId }) => !rows.has(timerId));
};

/** Returns the differences that a second read confirms; heals them if `heal` is given. */
const differing = async (
  { store, index, heal, page = PAGE }: Comparison,
  suspects: readonly IndexEntry[],
): Promise<readonly IndexDifference[]> => {
  const differences: IndexDifference[] = [];
  for (let at = 0; at < suspects.length; at += page) {
    const some = suspects.slice(at, at + page);
    const found = await compareAgain({ store, suspects: some, times: () => index.orders.fireTimes(some) });
    await heal?.(found);
    differences.push(...found);
  }
  return differences;
};

/** Compares all rows from an instant on with the index, both ways. */
export async function* compareIndex(comparison: Comparison, fromMs: number): AsyncGenerator<Compared> {
  let from: PageCursor | undefined = startOf(fromMs);
  while (from !== undefined) {
    const compared: Compared = await compareSome(comparison, { from, beforeMs: LATEST_MS });
    yield compared;
    from = compared.next;
  }
}

/** The second read: by now, updates that were in progress during the first read are done. */
export const compareAgain = async (look: {
  readonly store: Pick<TimerStore, 'read'>;
  readonly suspects: readonly IndexEntry[];
  /** Reads the entries' fire times, by id. */
  readonly times: () => Promise<ReadonlyMap<string, number>>;
}): Promise<readonly IndexDifference[]> => {
  const { timers, nowMs } = await look.store.read(look.suspects);
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

/** Puts missing and misplaced entries, removes surplus ones; reports before and after. */
export const healer =
  (on: RowsAndOrders, observe: Observe) =>
  async (differences: readonly IndexDifference[]): Promise<void> => {
    if (differences.length === 0) return;
    const counts = countsOf(differences);
    observe({ type: 'differing', ...counts });
    await putRows(
      on,
      differences.flatMap(({ timerId, owner, revision, rowAtMs: fireAtMs }) =>
        fireAtMs === undefined ? [] : [{ timerId, owner, revision, fireAtMs }],
      ),
    );
    await on.index.orders.remove(differences.filter(({ rowAtMs }) => rowAtMs === undefined));
    observe({ type: 'reconciled', ...counts });
  };

export const countsOf = (differences: readonly IndexDifference[]): IndexDifferences => {
  const ghosts = differences.filter(({ rowAtMs }) => rowAtMs === undefined).length;
  const missing = differences.filter(({ indexAtMs }) => indexAtMs === undefined).length;
  return { missing, misplaced: differences.length - missing - ghosts, ghosts };
};

/** Smaller than every timer id. */
const FIRST_ID = '0';

export const startOf = (fireAtMs: number): PageCursor => ({ fireAtMs, timerId: FIRST_ID });
