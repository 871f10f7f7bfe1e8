import type { Clock } from '../runtime/clock.ts';

/** A scrape waits no longer: what does not answer by then is not known. */
const WAIT_MS = 2000;
/** Several scrapers, or an impatient one, ask no more often than this. */
const KEPT_MS = 5000;

/** The newest answer, at most five seconds old; undefined when there was none within two. Never throws. */
export type Remembered<Value> = () => Promise<Value | undefined>;

/** Asks `read` once, however many gauges show parts of its answer. `failed` hears of each time without an answer. */
export const remembered = <Value>(
  read: () => Promise<Value>,
  clock: Pick<Clock, 'monotonicMs' | 'after'>,
  failed: () => void,
): Remembered<Value> => {
  let asked: { readonly atMs: number; readonly answer: Promise<Value | undefined> } | undefined;
  const ask = (): Promise<Value | undefined> =>
    new Promise((resolve) => {
      const giveUp = (): void => {
        failed();
        resolve(undefined);
      };
      const cancel = clock.after(WAIT_MS, giveUp);
      read().then(
        (value) => {
          cancel();
          resolve(value);
        },
        () => {
          cancel();
          giveUp();
        },
      );
    });
  return () => {
    const nowMs = clock.monotonicMs();
    if (asked === undefined || nowMs - asked.atMs >= KEPT_MS) asked = { atMs: nowMs, answer: ask() };
    return asked.answer;
  };
};
