import { Registry } from '@prometheus-io/client';
import type { Observe } from '../timer/model/engine-event.ts';
import { engineMetrics } from './engine-metrics.ts';
import { type EventLoopGauge, type ProcessParts, processGauges } from './process-gauges.ts';
import { type StoredParts, storedGauges } from './stored-gauges.ts';

export interface TimerMetrics {
  readonly registry: Registry;
  readonly observe: Observe;
  /** Once, when there is something to read from. `stored` is undefined where others tell the same for all. */
  addGauges(ofProcess: ProcessParts, stored: StoredParts | undefined): EventLoopGauge;
}

/**
 * The metrics of the timers of one Kibble; `home-metrics.ts` and `home-gauges.ts` add those of the homes. No label ever
 * holds a player, a thing, or anything else that is without bound.
 */
export const createTimerMetrics = (kinds: readonly string[], registry: Registry = new Registry()): TimerMetrics => ({
  registry,
  observe: engineMetrics(registry, kinds),
  addGauges: (ofProcess, stored) => {
    if (stored) storedGauges(registry, stored);
    return processGauges(registry, ofProcess);
  },
});
