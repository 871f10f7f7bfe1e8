const FIRST_MS = 400;
const LONGEST_MS = 15_000;

/**
 * How long to wait before the next attempt, after `failures` in a row. It doubles, and half of it is by `chance` (0 to 1): clients
 * that lost their server together must not come back together. After the first loss of a connection that had held it is
 * short, since mostly the next server is there already.
 */
export const backOffMs = (failures: number, chance: number): number => {
  const wholeMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  return Math.round(wholeMs / 2 + (chance * wholeMs) / 2);
};
