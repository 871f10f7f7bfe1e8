import type { Modules } from '../../domain/modules.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { IndexChanges } from '../../timer/model/index-entry.ts';
import type { HomeFeed } from '../follow/home-feed.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';
import type { HomeStore } from '../model/home-store.ts';
import type { RulesInForce } from '../model/rules-in-force.ts';
import type { SettleLimits } from './batch.ts';

export interface WritePathLimits extends SettleLimits {
  /** Players in one transaction. */
  readonly batchSize: number;
  readonly parallelBatches: number;
  /** How many of them may be fires: the others are for what players ask. */
  readonly parallelFires: number;
  /** Players in a transaction of fires: the fewer, the shorter a command waits while it is computed. */
  readonly firesPerBatch: number;
  readonly waitingPerPlayer: number;
  readonly waitingTotal: number;
}

export interface WritePathOptions {
  /** For what settles, which reads no config. */
  readonly modules: Modules;
  readonly rules: RulesInForce;
  readonly store: HomeStore;
  readonly feed: HomeFeed;
  readonly updateIndex: (changes: IndexChanges) => void;
  readonly clock: Pick<Clock, 'after'>;
  readonly limits: WritePathLimits;
  readonly onFault: (message: string, error: unknown) => void;
  readonly measure?: HomeMeasure;
}
