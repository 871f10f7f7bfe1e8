import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { DueIndex } from '../../timer/index/due-index.ts';
import type { IndexEntry } from '../../timer/model/index-entry.ts';
import type { PageCursor, TimerStore } from '../../timer/model/timer-store.ts';

export interface IndexDifference {
  readonly timerId: string;
  readonly owner: string;
  /** When the row says that it fires; undefined: it is not scheduled. */
  readonly rowAtMs: number | undefined;
  readonly indexAtMs: number | undefined;
}

interface Options {
  readonly store: Pick<TimerStore, 'page' | 'read' | 'nowMs'>;
  readonly index: Pick<DueIndex, 'orders'>;
  /** Between the two looks: whatever was being written at the first has settled by the second. */
  readonly pause: () => Promise<unknown>;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

const PAGE = 5000;
/** What is due, or about to be, may be on its way to a worker. */
const MARGIN_MS = 2000;

/** Compares the scheduled rows that are not due with the index, both ways. Only what differs twice is a difference. */
export const verifyIndex = async (options: Options): Promise<readonly IndexDifference[]> => {
  const { store, index, signal, onProgress, pause } = options;
  const found: IndexDifference[] = [];
  const startMs = (await store.nowMs()) + MARGIN_MS;
  let from: PageCursor | undefined = { fireAtMs: startMs, timerId: '0' };
  for (let done = 0; from && !signal.aborted; ) {
    const { entries, next }: Awaited<ReturnType<TimerStore['page']>> = await store.page(from, PAGE);
    const fromMs = from.fireAtMs;
    const toMs = next === undefined ? LATEST_MS : next.fireAtMs + 1;
    const look = () => index.orders.between(fromMs, toMs, PAGE);
    const suspects = differing(entries, await look(), fromMs);
    if (suspects.size > 0) {
      await pause();
      found.push(...(await again(store, suspects, await look(), startMs)));
    }
    done += entries.length;
    onProgress(done);
    from = next;
  }
  return found;
};

const differing = (
  rows: readonly IndexEntry[],
  entries: readonly IndexEntry[],
  fromMs: number,
): ReadonlySet<string> => {
  const times = new Map(entries.map(({ timerId, fireAtMs }) => [timerId, fireAtMs]));
  const differs = new Set<string>();
  for (const { timerId, fireAtMs } of rows) {
    if (times.get(timerId) !== fireAtMs) differs.add(timerId);
    times.delete(timerId);
  }
  // Of the first instant the page before may have had some.
  for (const [timerId, fireAtMs] of times) if (fireAtMs > fromMs) differs.add(timerId);
  return differs;
};

const again = async (
  store: Options['store'],
  suspects: ReadonlySet<string>,
  entries: readonly IndexEntry[],
  startMs: number,
): Promise<readonly IndexDifference[]> => {
  const { timers, nowMs } = await store.read([...suspects]);
  const rows = new Map(timers.map((timer) => [timer.id, timer]));
  const present = new Map(entries.map((entry) => [entry.timerId, entry]));
  return [...suspects].flatMap((timerId) => {
    const [row, entry] = [rows.get(timerId), present.get(timerId)];
    const rowAtMs = row?.state === 'scheduled' ? row.fireAtMs : undefined;
    const indexAtMs = entry?.fireAtMs;
    const isDue = (rowAtMs ?? indexAtMs ?? 0) <= Math.max(startMs, nowMs + MARGIN_MS);
    if (rowAtMs === indexAtMs || isDue) return [];
    return [{ timerId, owner: row?.owner ?? entry?.owner ?? '', rowAtMs, indexAtMs }];
  });
};
