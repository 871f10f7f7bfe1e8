import type { Timer } from '../model/timer.ts';
import type { FiringTools } from './firing-tools.ts';
import { finish, type InFlight } from './in-flight.ts';
import type { LaneResult, LaneWork, OnRoom } from './lane.ts';
import { requeue, requeueAfterFault } from './requeue.ts';

interface Dependencies {
  readonly tools: FiringTools;
  /** One transaction; more of them while a poison timer is searched for. */
  readonly run: (timers: readonly Timer[]) => Promise<LaneResult>;
  /** The most transactions at once. */
  readonly atOnce: number;
  /** The most timers in one transaction. */
  readonly limit: number;
  /** Connections that several kinds share. Default: this kind waits for no other kind. */
  readonly share?: Share;
  /** Timers that must be alone in their batch. The next batch has the others. */
  readonly isAlone?: (timerId: string) => boolean;
}

/** Fires a lane's timers in transactions: kinds that fire in Postgres, and derived ones. */
export class Batches implements LaneWork {
  readonly #on: Dependencies;
  #batches = 0;
  #running = 0;
  #wasAlone = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  get room(): number {
    const { atOnce, limit } = this.#on;
    return this.#batches < atOnce ? limit : 0;
  }

  get running(): number {
    return this.#running;
  }

  get capacity(): number {
    return this.#on.atOnce * this.#on.limit;
  }

  choose(waiting: readonly InFlight[]): readonly InFlight[] {
    const { limit, isAlone } = this.#on;
    if (!isAlone) return waiting.slice(0, limit);
    const alone = waiting.find(({ timer }) => isAlone(timer.id));
    const together = waiting.filter(({ timer }) => !isAlone(timer.id)).slice(0, limit);
    this.#wasAlone = alone !== undefined && (!this.#wasAlone || together.length === 0);
    return this.#wasAlone && alone ? [alone] : together;
  }

  async begin(timers: readonly InFlight[], onRoom: OnRoom): Promise<void> {
    this.#batches += 1;
    this.#running += timers.length;
    const { entries, finished } = await this.#run(timers.map(({ timer }) => timer));
    this.#batches -= 1;
    this.#running -= timers.length;
    onRoom(finished);
    await finish(this.#on.tools, timers, entries);
  }

  async #run(timers: readonly Timer[]): Promise<LaneResult> {
    const { tools, run, share } = this.#on;
    try {
      if (!share) return await run(timers);
      const result = await share.use(() => run(timers));
      return result ?? { entries: requeue(tools, timers, { reason: 'stopping' }), finished: 0 };
    } catch (error) {
      return { entries: requeueAfterFault(tools, timers, error), finished: 0 };
    }
  }
}

/** A share of the connections: the most batches that run at once, of all kinds. The others wait in order. */
export class Share {
  #free: number;
  #isStopping = false;
  #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs `work` as soon as a place is free. Returns undefined after `stop`. */
  async use<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#isStopping) return undefined;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /** Gives no more places; running work goes on. */
  stop(): void {
    this.#isStopping = true;
    for (const end of this.#waiting.splice(0)) end();
  }
}
