import type { DueIndex } from './due-index.ts';
import type { Exclusive } from './exclusive.ts';
import type { Intake } from './fire/intake.ts';
import type { FiringTools } from './firing-tools.ts';
import type { Rebuilder } from './rebuilder.ts';

const GRACE_MS = 2000;
const EVERY_MS = 1000;
/** While the index is away the sweep is what fires timers. */
const EVERY_WITHOUT_INDEX_MS = 100;

interface Dependencies {
  readonly tools: FiringTools;
  readonly index: DueIndex;
  readonly intake: Pick<Intake, 'take'>;
  readonly rebuilder: Pick<Rebuilder, 'isNeeded'>;
  readonly exclusive: Exclusive;
  readonly limit: number;
}

/** The safety net: fires rows that are overdue, whatever the index says. One process of a database does it. */
export class Sweeper {
  readonly #tools: FiringTools;
  readonly #index: DueIndex;
  readonly #intake: Pick<Intake, 'take'>;
  readonly #rebuilder: Pick<Rebuilder, 'isNeeded'>;
  readonly #exclusive: Exclusive;
  readonly #limit: number;
  /** When the index was last known to lack something; by the monotonic clock. */
  #awayAtMs: number;

  constructor({ tools, index, intake, rebuilder, exclusive, limit }: Dependencies) {
    this.#tools = tools;
    this.#index = index;
    this.#intake = intake;
    this.#rebuilder = rebuilder;
    this.#exclusive = exclusive;
    this.#limit = limit;
    this.#awayAtMs = tools.clock.monotonicMs();
  }

  tick = async (): Promise<number> => {
    const { store, kinds, storeClock, clock } = this.#tools;
    await storeClock.refresh();
    kinds.setPaused(await store.pausedKinds());
    const isIndexAway = !this.#index.isAvailable || this.#rebuilder.isNeeded;
    const pauseMs = isIndexAway ? EVERY_WITHOUT_INDEX_MS : EVERY_MS;
    if (!(await this.#exclusive.tryHold())) return EVERY_MS;
    const graceMs = isIndexAway ? 0 : await this.#graceMs();
    if (isIndexAway) this.#awayAtMs = clock.monotonicMs();
    // What was overdue when the index became whole was handed off only then.
    else if (clock.monotonicMs() - this.#awayAtMs < graceMs) return pauseMs;
    const count = await this.sweep(storeClock.nowMs() - graceMs);
    return count < this.#limit ? pauseMs : 0;
  };

  /** Takes in what should have fired before; answers how many rows it found that nobody here was at work on. */
  async sweep(beforeMs: number): Promise<number> {
    const { store, kinds, observe } = this.#tools;
    const rows = await store.overdue(kinds.firing, Math.floor(beforeMs), this.#limit);
    if (rows.length === 0) return 0;
    observe({ type: 'swept', count: rows.length });
    return (await this.#intake.take(rows.map(({ id }) => id))).count;
  }

  /** What waits in the hand-off queue is late, but not lost. */
  async #graceMs(): Promise<number> {
    return GRACE_MS + (await this.#index.oldestUnackedMs());
  }
}
