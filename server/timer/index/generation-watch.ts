import type { EngineLog } from '../../runtime/engine-log.ts';
import type { DueIndex } from './due-index.ts';
import type { GenerationInForce, Generations } from './generation.ts';

const POLL_EVERY_MS = 1000;
/** Compares this process's index after so many pulses of about a second. */
const COMPARE_EVERY = 10;
/** One miss is not enough: the noted pulse may be older than a loss. */
const CERTAIN = 2;
const ELSEWHERE =
  'the index of this database is in another Redis, where nobody sees what this process puts: name the same one (redis, REDIS_URL) in all processes of the database';

interface Dependencies {
  readonly generations: Generations;
  readonly index: Pick<DueIndex, 'isAvailable' | 'inUse' | 'marks'>;
  readonly log: Pick<EngineLog, 'warn'>;
  /** Called when the index has changed to another generation. */
  readonly onChange: () => void;
}

/**
 * Makes this process's index follow the generation in force: it asks every second, and whenever there is a reason.
 * Until then a process that was frozen uses an old generation, which rejects its writes.
 */
export class GenerationWatch {
  readonly #on: Dependencies;
  #compared = { number: 0, pulse: 0, misses: 0 };
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<GenerationInForce> | undefined;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Whether the generation in force is alive and whole, but not in this process's index. */
  get isElsewhere(): boolean {
    return this.#compared.misses >= CERTAIN;
  }

  tick = async (): Promise<number> => {
    await this.#compare(await this.look());
    return POLL_EVERY_MS;
  };

  /** Only a process with a whole index raises the pulse. If it rises while this index is not whole, the index is elsewhere. */
  async #compare({ number, pulse }: GenerationInForce): Promise<void> {
    const before = this.#compared;
    if (number !== before.number) this.#compared = { number, pulse, misses: 0 };
    else if (pulse >= before.pulse + COMPARE_EVERY && this.#on.index.isAvailable) {
      const misses = (await this.#on.index.marks.isWhole(pulse)) ? 0 : before.misses + 1;
      this.#compared = { number, pulse, misses };
      if (misses === CERTAIN) this.#on.log.warn({ code: 'redis/elsewhere' }, ELSEWHERE);
    }
  }

  /** One read at a time, so no old result replaces a newer one; waiting callers share one. Throws what the store throws. */
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
    const found = await this.#on.generations.inForce(this.#on.index.inUse.shards);
    if (found.number !== this.#on.index.inUse.number) {
      this.#on.index.inUse.use(found);
      this.#on.onChange();
    }
    return found;
  }
}
