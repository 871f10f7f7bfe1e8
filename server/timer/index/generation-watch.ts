import type { DueIndex } from './due-index.ts';
import type { GenerationInForce, Generations } from './generation.ts';

const LOOK_EVERY_MS = 1000;

interface Dependencies {
  readonly generations: Generations;
  readonly index: Pick<DueIndex, 'inUse'>;
  /** Called when the index has changed over to another generation. */
  readonly onChange: () => void;
}

/**
 * Keeps this process' index with the generation in force: it looks every second, and whenever somebody has a reason
 * to. A process that was frozen works with an old one until then, which takes nothing from it and which nobody reads.
 */
export class GenerationWatch {
  readonly #generations: Generations;
  readonly #index: Dependencies['index'];
  readonly #onChange: () => void;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<GenerationInForce> | undefined;

  constructor({ generations, index, onChange }: Dependencies) {
    this.#generations = generations;
    this.#index = index;
    this.#onChange = onChange;
  }

  tick = async (): Promise<number> => {
    await this.look();
    return LOOK_EVERY_MS;
  };

  /** One look after the other, so that a result never meets a later one; those who wait share one. Throws what the store throws. */
  look(): Promise<GenerationInForce> {
    if (this.#next === undefined) {
      const look = this.#last.then(() => {
        this.#next = undefined;
        return this.#look();
      });
      this.#next = look;
      this.#last = look.catch(() => undefined);
    }
    return this.#next;
  }

  async #look(): Promise<GenerationInForce> {
    const found = await this.#generations.inForce(this.#index.inUse.shards);
    if (found.number !== this.#index.inUse.number) {
      this.#index.inUse.use(found);
      this.#onChange();
    }
    return found;
  }
}
