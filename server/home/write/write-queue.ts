import type { ModuleFault } from '../../domain/module-fault.ts';
import type { Commit } from '../model/commit.ts';
import type { HomeOrder, Outcome } from '../model/homes.ts';
import { AheadSettler, type AheadSettlerOptions } from './settle-ahead.ts';

/** A home after a batch, with the results for its tasks. */
export interface SettledHome {
  readonly commit: Commit;
  readonly epoch: string;
  /** Timers of things that the batch moved or ended, by id. */
  readonly moved: ReadonlySet<string>;
}

/** One task for a player's home: an order, or only settling. */
export interface HomeTask {
  readonly playerId: string;
  readonly order: HomeOrder | undefined;
  /** No player waits for it, so players' requests come first. */
  readonly isFire: boolean;
  readonly done: (settled: SettledHome, outcome: Outcome | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** All waiting tasks of one player's home. */
export interface PlayerTasks {
  readonly playerId: string;
  readonly tasks: HomeTask[];
  /** How often the home was locked by another transaction, or its own transaction failed. */
  tries: number;
  /** The number of batches that have settled it so far without reaching the end. */
  slices: number;
  readonly ahead: AheadSettler;
  /** The step after a refusal of the game's own rows, or a fault of its rules. */
  hostFault?: HostFaultStep;
}

/** See `retries.ts`. */
export interface HostFaultStep {
  readonly fault: ModuleFault;
  readonly step: 'one-by-one' | 'without-order' | 'stand-still';
}

/**
 * The waiting tasks of the write path: players' requests, and fires apart. A player is in one batch at a time, and a
 * player's orders keep their order.
 */
export class WriteQueue {
  readonly #on: AheadSettlerOptions;
  readonly #asked = new Map<string, PlayerTasks>();
  readonly #fires = new Map<string, PlayerTasks>();
  /** Requests that wait until a pause is over. */
  readonly #parked = new Map<string, PlayerTasks>();
  readonly #inFlight = new Set<string>();
  #waiting = 0;

  constructor(on: AheadSettlerOptions) {
    this.#on = on;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** How many players wait for a request. */
  get players(): number {
    return this.#asked.size;
  }

  waitingOf(playerId: string): number {
    return (this.#asked.get(playerId) ?? this.#parked.get(playerId))?.tasks.length ?? 0;
  }

  add(task: HomeTask): void {
    this.#waiting += 1;
    const parked = task.isFire ? undefined : this.#parked.get(task.playerId);
    if (parked) {
      parked.tasks.push(task);
      return;
    }
    const lane = task.isFire ? this.#fires : this.#asked;
    const entry = lane.get(task.playerId);
    if (entry) entry.tasks.push(task);
    else
      lane.set(task.playerId, {
        playerId: task.playerId,
        tasks: [task],
        tries: 0,
        slices: 0,
        ahead: new AheadSettler(this.#on),
      });
  }

  /** Up to `max` players with requests and in no other batch, first come first served. Their fires come along. */
  nextAsked(max: number): readonly PlayerTasks[] {
    const batch = this.#next(this.#asked, max);
    for (const { playerId, tasks } of batch) {
      const fires = this.#fires.get(playerId);
      if (!fires) continue;
      this.#fires.delete(playerId);
      this.#waiting -= fires.tasks.length;
      tasks.push(...fires.tasks);
    }
    return batch;
  }

  /** The same for players with only fires. */
  nextFires(max: number): readonly PlayerTasks[] {
    return this.#next(this.#fires, max);
  }

  /** The player may be in a batch again. */
  release(playerId: string): void {
    this.#inFlight.delete(playerId);
  }

  /** Puts tasks before all that arrived for the player meanwhile; releases the player. */
  requeue(entry: PlayerTasks): void {
    const isAsked = entry.tasks.some((task) => !task.isFire);
    this.#addTo(isAsked ? this.#asked : this.#fires, entry);
  }

  /** The same, but these and later orders of the player wait until `unpark`. Fires do not wait. */
  park(entry: PlayerTasks): void {
    this.#addTo(this.#parked, entry);
  }

  unpark(playerId: string): void {
    const entry = this.#parked.get(playerId);
    this.#parked.delete(playerId);
    if (entry) this.#asked.set(playerId, entry);
  }

  #next(lane: Map<string, PlayerTasks>, max: number): readonly PlayerTasks[] {
    const batch: PlayerTasks[] = [];
    for (const entry of lane.values()) {
      if (batch.length >= max) break;
      if (this.#inFlight.has(entry.playerId)) continue;
      lane.delete(entry.playerId);
      this.#inFlight.add(entry.playerId);
      this.#waiting -= entry.tasks.length;
      batch.push(entry);
    }
    return batch;
  }

  #addTo(lane: Map<string, PlayerTasks>, entry: PlayerTasks): void {
    const from = lane === this.#fires ? this.#fires : this.#asked;
    const later = from.get(entry.playerId)?.tasks ?? [];
    from.delete(entry.playerId);
    lane.set(entry.playerId, { ...entry, tasks: [...entry.tasks, ...later] });
    this.#waiting += entry.tasks.length;
    this.release(entry.playerId);
  }
}
