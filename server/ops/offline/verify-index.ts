import { type Comparison, compareIndex, type IndexDifference, MARGIN_MS } from '../../timer/index/compare-index.ts';
import type { TimerStore } from '../../timer/model/timer-store.ts';

/** A timer with a difference between row and index entry. */
export type IndexFault = Omit<IndexDifference, 'revision'>;

interface Options {
  readonly store: Pick<TimerStore, 'page' | 'read' | 'nowMs'>;
  readonly index: Comparison['index'];
  /** Waits between the two reads: updates in progress at the first read are done at the second. */
  readonly pause: () => Promise<unknown>;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

/** Compares the scheduled rows that are not due with the index; heals nothing. */
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
