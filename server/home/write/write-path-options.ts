import type { Modules } from '../../domain/modules.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { IndexChanges } from '../../timer/model/index-entry.ts';
import type { HomeFeed } from '../follow/home-feed.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';
import type { HomeStore } from '../model/home-store.ts';
import type { RulesInForce } from '../model/rules-in-force.ts';
import type { SettleLimits } from './batch.ts';

export interface WritePathLimits extends SettleLimits {
  /** The most players in one transaction. */
  readonly batchSize: number;
  readonly parallelBatches: number;
  /** How many of these batches may be fires; the others serve players' requests. */
  readonly parallelFires: number;
  /** The most players in a transaction of fires: fewer players delay commands less. */
  readonly firesPerBatch: number;
  readonly waitingPerPlayer: number;
  readonly waitingTotal: number;
}

export interface WritePathOptions {
  /** For settling, which reads no config. */
  readonly modules: Modules;
  readonly rules: RulesInForce;
  readonly store: HomeStore;
  readonly feed: HomeFeed;
  readonly updateIndex: (changes: IndexChanges) => void;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly limits: WritePathLimits;
  readonly onFault: (message: string, error: unknown) => void;
  readonly measure?: HomeMeasure;
}
