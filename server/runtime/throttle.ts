import type { Clock } from './clock.ts';

const EVERY_MS = 60_000;
/** Names come from rows, so their number has no bound of its own. */
const MOST_NAMES = 1000;

/** Undefined: not now. Else how many calls with this name were left out since the last one. */
export type Throttle = (name: string) => { readonly leftOut: number } | undefined;

/** For frequent events: lets the first one pass, then at most one per name in `everyMs`. */
export const throttle = (clock: Pick<Clock, 'monotonicMs'>, everyMs = EVERY_MS): Throttle => {
  const told = new Map<string, { readonly atMs: number; leftOut: number }>();
  return (name) => {
    const nowMs = clock.monotonicMs();
    const last = told.get(name);
    if (last && nowMs - last.atMs < everyMs) {
      last.leftOut += 1;
      return undefined;
    }
    if (told.size >= MOST_NAMES) told.clear();
    told.set(name, { atMs: nowMs, leftOut: 0 });
    return { leftOut: last?.leftOut ?? 0 };
  };
};

type Report = (message: string, error: unknown) => void;

/** Reports each message as often as the limit allows, with the number of messages left out. */
export const limitedLog =
  (report: Report, limit: Throttle): Report =>
  (message, error) => {
    const told = limit(message);
    if (told) report(told.leftOut > 0 ? `${message} (${told.leftOut} more were not told)` : message, error);
  };
