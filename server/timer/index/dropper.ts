import type { DueIndex } from './due-index.ts';
import type { Generation, Generations } from './generation.ts';

const PAGE = 2000;
const BETWEEN_PAGES_MS = 50;
const LOOK_EVERY_MS = 1000;
/** A process that was frozen may leave a little in a generation that is over. */
const AGAIN_AFTER_MS = 600_000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'inUse' | 'marks'>;
  readonly generations: Generations;
  readonly isIndexWhole: () => boolean;
  readonly monotonicMs: () => number;
}

/** Takes away what earlier generations left in the index, little by little, when the one in force is whole. */
export class Dropper {
  readonly #index: Dependencies['index'];
  readonly #generations: Generations;
  readonly #isIndexWhole: () => boolean;
  readonly #monotonicMs: () => number;
  #past: readonly Generation[] = [];
  /** Before which generation the past was looked up, and when. */
  #before = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ index, generations, isIndexWhole, monotonicMs }: Dependencies) {
    this.#index = index;
    this.#generations = generations;
    this.#isIndexWhole = isIndexWhole;
    this.#monotonicMs = monotonicMs;
  }

  tick = async (): Promise<number> => {
    if (!this.#isIndexWhole()) return LOOK_EVERY_MS;
    await this.#lookUp();
    const [generation] = this.#past;
    if (generation === undefined) return LOOK_EVERY_MS;
    const gone = await this.#index.marks.drop(generation, PAGE);
    if (gone > 0) return BETWEEN_PAGES_MS;
    this.#past = this.#past.slice(1);
    return 0;
  };

  async #lookUp(): Promise<void> {
    const nowMs = this.#monotonicMs();
    const { number: generation } = this.#index.inUse;
    if (generation === this.#before && nowMs - this.#lookedAtMs < AGAIN_AFTER_MS) return;
    this.#past = await this.#generations.past();
    this.#before = generation;
    this.#lookedAtMs = nowMs;
  }
}
