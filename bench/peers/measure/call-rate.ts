export interface Load {
  readonly count: number;
  readonly atMostMs: number;
  readonly inFlight: number;
}

export interface CallRate {
  readonly perSec: number;
  /** CPU of this process per call. */
  readonly cpuUs: number;
}

/** Keeps `inFlight` calls open until `count` have replies or the time is over. */
export const callRate = async (load: Load, call: (at: number) => Promise<unknown>): Promise<CallRate> => {
  const { count, atMostMs, inFlight } = load;
  const startedAtMs = performance.now();
  const startedCpu = process.cpuUsage();
  let next = 0;
  let answered = 0;
  const lane = async (): Promise<void> => {
    while (next < count && performance.now() - startedAtMs < atMostMs) {
      await call(next++);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const tookMs = performance.now() - startedAtMs;
  const { user, system } = process.cpuUsage(startedCpu);
  return { perSec: (answered / tookMs) * 1000, cpuUs: (user + system) / answered };
};
