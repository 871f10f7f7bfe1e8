import { Registry } from '@prometheus-io/client';
import type { HomeMeasurement } from '../home/model/home-measurement.ts';
import type { HealedRows } from '../home/model/home-store.ts';
import type { Observe } from '../timer/model/engine-event.ts';
import { engineMetrics } from './engine-metrics.ts';
import { healedMetrics, homeMetrics } from './home-metrics.ts';
import { type ProcessParts, processGauges } from './process-gauges.ts';
import { type StoredParts, storedGauges } from './stored-gauges.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly observeEngine: Observe;
  readonly observeHomes: (measurement: HomeMeasurement) => void;
  readonly observeHealed: (healed: HealedRows) => void;
  /** Once, when there is something to read from. `stored` is undefined where others tell the same for all. */
  addGauges(ofProcess: ProcessParts, stored: StoredParts | undefined): { start(): void; stop(): void };
}

/**
 * Every metric of one Kibble. No label ever holds a player, a pet, or anything else that is without bound. Throws
 * `TypeError` when another Kibble has put its metrics into this registry.
 */
export const createMetrics = (kinds: readonly string[], registry: Registry = new Registry()): Metrics => {
  if (registry.getSingleMetric('kibble_commands_total')) {
    throw new TypeError('metrics: this registry belongs to another Kibble; each needs one of its own');
  }
  return {
    registry,
    observeEngine: engineMetrics(registry, kinds),
    observeHomes: homeMetrics(registry),
    observeHealed: healedMetrics(registry),
    addGauges: (ofProcess, stored) => {
      if (stored) storedGauges(registry, stored);
      return processGauges(registry, ofProcess);
    },
  };
};
