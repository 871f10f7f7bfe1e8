import type { Measures } from './measures.ts';
import type { Play } from './play.ts';
import type { Client } from './sdk.ts';

/** Shared by all players of one run. */
export interface LoadWorld {
  readonly play: Play;
  readonly measures: Measures;
  readonly newClient: () => Client;
  /** 8 to 64 characters, used once. */
  readonly nextCommandId: () => string;
  readonly monotonicMs: () => number;
  /** Ends early when the run is stopped. */
  readonly pause: (ms: number) => Promise<void>;
  /** Whether times count: the ramp-up is over. */
  readonly isMeasuring: () => boolean;
  /** Whether no player joins or sends any more. */
  readonly isOver: () => boolean;
}
