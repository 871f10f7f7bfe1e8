import type { Measures } from './measures.ts';
import type { Play } from './play.ts';
import type { Client } from './sdk.ts';

/** What all players of one run share. */
export interface LoadWorld {
  readonly play: Play;
  readonly measures: Measures;
  readonly newClient: () => Client;
  /** 8 to 64 characters, used once. */
  readonly nextCommandId: () => string;
  readonly monotonicMs: () => number;
  /** Ends early when the run is stopped. */
  readonly pause: (ms: number) => Promise<void>;
  /** Times count from here on: the ramp-up is over. */
  readonly isMeasuring: () => boolean;
  /** No player joins or sends any more. */
  readonly isOver: () => boolean;
}
