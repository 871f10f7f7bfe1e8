import type { StoreCpu } from './store-cpu.ts';

/** CPU in µs, of this process and of the stores (undefined where the machine does not tell). */
export interface CpuUse {
  readonly ownUs: number;
  readonly storeUs: number | undefined;
}

/** From now on; each call answers what was used since. */
export const watchCpu = (storeCpu: StoreCpu): (() => CpuUse) => {
  const own = process.cpuUsage();
  const stores = storeCpu();
  return () => {
    const { user, system } = process.cpuUsage(own);
    const now = storeCpu();
    return { ownUs: user + system, storeUs: now === undefined || stores === undefined ? undefined : now - stores };
  };
};

/** Both, by a number: timers, or seconds. NaN where the stores' share is not known. */
export const shareOf = ({ ownUs, storeUs }: CpuUse, by: number): number => (ownUs + (storeUs ?? Number.NaN)) / by;
