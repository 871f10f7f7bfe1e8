import type { DueIndex } from './due-index.ts';
import type { Generation, Generations } from './generation.ts';

const EVERY_MS = 1000;
const PAGE = 2000;
const BETWEEN_PAGES_MS = 50;
/** A process that was frozen may write a little into an ended generation. */
const AGAIN_AFTER_MS = 600_000;
/**
 * A crashed Redis may lose its last second, or two with `appendfsync everysec`. The reconciler heals that, and no
 * refill is needed. So the noted pulse is the one that every shard had three pulses ago.
 */
const TOLERATED = 3;

interface Dependencies {
  readonly index: Pick<DueIndex, 'inUse' | 'marks'>;
  readonly generations: Generations;
  readonly isIndexWhole: () => boolean;
}

/** A chore: raises the pulse of each shard and notes it in Postgres, so that a shard restored from an old copy is behind. */
export const raisePulse =
  ({ index, generations, isIndexWhole }: Dependencies) =>
  async (): Promise<number> => {
    if (!isIndexWhole()) return EVERY_MS;
    const { number: generation } = index.inUse;
    const lowest = await index.marks.raisePulse();
    if (lowest !== undefined) await generations.notePulse(generation, lowest - TOLERATED);
    return EVERY_MS;
  };

interface PastDependencies extends Pick<Dependencies, 'index' | 'generations'> {
  readonly monotonicMs: () => number;
}

/**
 * Deletes the keys of earlier generations in small steps, also while the generation in force is not whole: refills that
 * broke off may fill a Redis, and then no refill ends before their keys are gone.
 */
export class Dropper {
  readonly #on: PastDependencies;
  #past: readonly Generation[] = [];
  /** The generation before which the past was read, and when. */
  #before = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: PastDependencies) {
    this.#on = dependencies;
  }

  tick = async (): Promise<number> => {
    await this.#readPast();
    const [generation] = this.#past;
    if (generation === undefined) return EVERY_MS;
    const gone = await this.#on.index.marks.drop(generation, PAGE);
    if (gone > 0) return BETWEEN_PAGES_MS;
    this.#past = this.#past.slice(1);
    return 0;
  };

  async #readPast(): Promise<void> {
    const { index, generations, monotonicMs } = this.#on;
    const nowMs = monotonicMs();
    const { number: generation } = index.inUse;
    if (generation === this.#before && nowMs - this.#readAtMs < AGAIN_AFTER_MS) return;
    this.#past = await generations.past();
    this.#before = generation;
    this.#readAtMs = nowMs;
  }
}
