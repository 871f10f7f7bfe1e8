const FIRST_MS = 400;
const LONGEST_MS = 15_000;

/**
 * The wait before the next attempt, after `failures` in a row. It doubles each time. Half of it depends on `chance` (0
 * to 1), so that clients that lost one server do not return at the same time. After the first loss of a good connection
 * it is short, because the next server is usually up already.
 */
export const backOffMs = (failures: number, chance: number): number => {
  const wholeMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  return Math.round(wholeMs / 2 + (chance * wholeMs) / 2);
};
