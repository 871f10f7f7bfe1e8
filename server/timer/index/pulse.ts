import type { DueIndex } from './due-index.ts';
import type { Generations } from './generation.ts';

const EVERY_MS = 1000;
/**
 * A Redis that crashes may lose the last second, with `appendfsync everysec` two: the reconciler's business, no reason
 * to refill everything. So what is noted is what every shard counted three pulses ago.
 */
const TOLERATED = 3;

interface Dependencies {
  readonly index: Pick<DueIndex, 'inUse' | 'marks'>;
  readonly generations: Generations;
  readonly isIndexWhole: () => boolean;
}

/** Counts in each shard and beside the rows, so that a shard that was restored from an old copy is behind. */
export class Pulse {
  readonly #index: Dependencies['index'];
  readonly #generations: Generations;
  readonly #isIndexWhole: () => boolean;

  constructor({ index, generations, isIndexWhole }: Dependencies) {
    this.#index = index;
    this.#generations = generations;
    this.#isIndexWhole = isIndexWhole;
  }

  tick = async (): Promise<number> => {
    if (!this.#isIndexWhole()) return EVERY_MS;
    const { number: generation } = this.#index.inUse;
    const lowest = await this.#index.marks.raisePulse();
    if (lowest !== undefined) await this.#generations.notePulse(generation, lowest - TOLERATED);
    return EVERY_MS;
  };
}
