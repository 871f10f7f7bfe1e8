/** After each failed attempt of an own kind, the wait until the next; after the fifteenth retry the timer is dead. */
export const ownRetryDelaysMs: readonly number[] = [
  15, 15, 30, 180, 600, 1200, 1800, 1800, 1800, 3600, 10_800, 10_800, 10_800, 21_600, 21_600,
].map((seconds) => seconds * 1000);

const derivedDelaysMs: readonly number[] = [1000, 2000, 5000, 15_000, 60_000];

/** Derived timers never die: the last wait repeats. `attempt` counts the failures before this one. */
export const derivedRetryDelayMs = (attempt: number): number =>
  derivedDelaysMs[Math.min(attempt, derivedDelaysMs.length - 1)] ?? 60_000;
