import type { StoreCpu } from './store-cpu.ts';

/** CPU in µs, of this process and of the stores (undefined where the machine does not tell). */
export interface CpuUse {
  readonly ownUs: number;
  readonly storeUs: number | undefined;
  readonly lastedMs: number;
}

/**
 * From now on; the answer says what was used since, once. To look at the stores takes this process some ten
 * milliseconds, which are none of the contender's: they lie outside of what is counted as its own.
 */
export const watchCpu = (storeCpu: StoreCpu): (() => CpuUse) => {
  const stores = storeCpu();
  const startedAtMs = performance.now();
  const own = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(own);
    const lastedMs = performance.now() - startedAtMs;
    const now = storeCpu();
    const storeUs = now === undefined || stores === undefined ? undefined : now - stores;
    return { ownUs: user + system, storeUs, lastedMs };
  };
};

/** Both, by a number: timers, or seconds. NaN where the stores' share is not known. */
export const shareOf = ({ ownUs, storeUs }: CpuUse, by: number): number => (ownUs + (storeUs ?? Number.NaN)) / by;
