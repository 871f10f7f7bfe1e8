import type { RateLimit } from '../../http/rate-limit.ts';

type Report = (message: string, error: unknown) => void;

/** Reports as often as the rate allows for each message, and says how many were left out in between. */
export const limitedLog = (report: Report, rate: RateLimit): Report => {
  const unsaid = new Map<string, number>();
  return (message, error) => {
    rate.take(message).then((waitMs) => {
      const count = unsaid.get(message) ?? 0;
      unsaid.set(message, waitMs > 0 ? count + 1 : 0);
      if (waitMs === 0) report(count > 0 ? `${message} (${count} more were not told)` : message, error);
    });
  };
};
