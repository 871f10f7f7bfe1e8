import type { Clock } from '../runtime/clock.ts';

/** A scrape waits no longer: what has not come by then is not known. */
const WAIT_MS = 2000;
/** Several scrapers, or an impatient one, ask no more often than this. */
const KEPT_MS = 5000;

/** The newest value, at most five seconds old; undefined when none came within two. Never throws. */
export type CachedRead<Value> = () => Promise<Value | undefined>;

/** Calls `read` once, however many gauges show parts of its value. `failed` is called each time that it brings none. */
export const cachedRead = <Value>(
  read: () => Promise<Value>,
  clock: Pick<Clock, 'monotonicMs' | 'after'>,
  failed: () => void,
): CachedRead<Value> => {
  let newest: { readonly atMs: number; readonly value: Promise<Value | undefined> } | undefined;
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
    if (newest === undefined || nowMs - newest.atMs >= KEPT_MS) newest = { atMs: nowMs, value: ask() };
    return newest.value;
  };
};
