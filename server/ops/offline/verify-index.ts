import { type Comparison, compareIndex, type IndexDifference, MARGIN_MS } from '../../timer/index/compare-index.ts';
import type { TimerStore } from '../../timer/model/timer-store.ts';

/** A timer of which row and index say different things. */
export type IndexFault = Omit<IndexDifference, 'revision'>;

interface Options {
  readonly store: Pick<TimerStore, 'page' | 'read' | 'nowMs'>;
  readonly index: Comparison['index'];
  /** Between the two looks: whatever was being written at the first has settled by the second. */
  readonly pause: () => Promise<unknown>;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

/** Compares the scheduled rows that are not due with the index, and heals nothing. */
export const verifyIndex = async (options: Options): Promise<readonly IndexFault[]> => {
  const { store, index, pause, onProgress, signal } = options;
  const found: IndexFault[] = [];
  let done = 0;
  const comparison = { store, index, pause, heal: undefined };
  for await (const { differences, rows } of compareIndex(comparison, (await store.nowMs()) + MARGIN_MS)) {
    found.push(...differences);
    done += rows;
    onProgress(done);
    if (signal.aborted) break;
  }
  return found;
};
