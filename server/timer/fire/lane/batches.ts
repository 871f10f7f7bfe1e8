import type { Timer } from '../../model/timer.ts';
import { retrySoon } from '../attempt/failed-attempt.ts';
import type { FiringTools } from '../attempt/firing-tools.ts';
import type { LaneTurn, LaneWork, Ran } from '../attempt/lane-work.ts';
import { giveBack, putBack } from '../attempt/put-back.ts';
import type { TakenTimer } from '../attempt/taken-timer.ts';
import type { Share } from './share.ts';

interface Dependencies {
  readonly tools: FiringTools;
  /** One transaction, or as many as it takes to find a poison timer. */
  readonly run: (timers: readonly Timer[]) => Promise<Ran>;
  /** Transactions at once. */
  readonly atOnce: number;
  /** Timers in one. */
  readonly limit: number;
  /** Who else waits for a connection; default: nobody. */
  readonly share?: Share;
  /** Timers that have to go alone: one in a turn, and then a turn of the others. */
  readonly isAlone?: (timerId: string) => boolean;
}

/** Works a lane off in transactions: kinds that fire in Postgres, and derived ones. */
export class Batches implements LaneWork {
  readonly #dependencies: Dependencies;
  #batches = 0;
  #running = 0;
  #wasAlone = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  get room(): number {
    const { atOnce, limit } = this.#dependencies;
    return this.#batches < atOnce ? limit : 0;
  }

  get running(): number {
    return this.#running;
  }

  get capacity(): number {
    const { atOnce, limit } = this.#dependencies;
    return atOnce * limit;
  }

  choose(waiting: readonly TakenTimer[]): readonly TakenTimer[] {
    const { limit, isAlone } = this.#dependencies;
    if (!isAlone) return waiting.slice(0, limit);
    const alone = waiting.find(({ timer }) => isAlone(timer.id));
    const together = waiting.filter(({ timer }) => !isAlone(timer.id)).slice(0, limit);
    this.#wasAlone = alone !== undefined && (!this.#wasAlone || together.length === 0);
    return this.#wasAlone && alone ? [alone] : together;
  }

  async begin(taken: readonly TakenTimer[], onRoom: (turn: LaneTurn) => void): Promise<void> {
    this.#batches += 1;
    this.#running += taken.length;
    const timers = taken.map(({ timer }) => timer);
    const { entries, finished } = await this.#run(timers);
    this.#batches -= 1;
    this.#running -= taken.length;
    onRoom({ finished });
    await putBack(this.#dependencies.tools, taken, entries);
  }

  async #run(timers: readonly Timer[]): Promise<Ran> {
    const { tools, run, share } = this.#dependencies;
    try {
      if (!share) return await run(timers);
      return (await share.use(() => run(timers))) ?? { entries: giveBack(tools, timers), finished: 0 };
    } catch (error) {
      return { entries: retrySoon(tools, timers, error), finished: 0 };
    }
  }
}
