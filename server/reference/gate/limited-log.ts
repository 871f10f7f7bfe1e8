import type { Throttle } from '../../runtime/throttle.ts';

type Report = (message: string, error: unknown) => void;

/** Reports each message as often as the limit allows, and says how many were left out in between. */
export const limitedLog =
  (report: Report, limit: Throttle): Report =>
  (message, error) => {
    const told = limit(message);
    if (told) report(told.leftOut > 0 ? `${message} (${told.leftOut} more were not told)` : message, error);
  };
