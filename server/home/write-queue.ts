import type { HomeOrder, HomeView, Outcome } from './homes.ts';

/** One thing to do with a player's home: an order, or just to look, which settles. */
export interface Task {
  readonly playerId: string;
  readonly order: HomeOrder | undefined;
  /** Nobody waits for it with a screen in front: it comes after what players asked for. */
  readonly isFire: boolean;
  readonly done: (view: HomeView, outcome: Outcome | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** Everything that waits for one player's home. */
export interface PlayerTasks {
  readonly playerId: string;
  readonly tasks: Task[];
  /** How often the home was locked by somebody else, or its transaction failed. */
  tries: number;
}

/**
 * What waits for the write path. A player is in one batch at a time, own orders stay in order, and what players asked
 * for goes before fires.
 */
export class WriteQueue {
  readonly #asked = new Map<string, PlayerTasks>();
  readonly #fires = new Map<string, PlayerTasks>();
  readonly #inFlight = new Set<string>();
  #waiting = 0;

  get waiting(): number {
    return this.#waiting;
  }

  waitingOf(playerId: string): number {
    return this.#asked.get(playerId)?.tasks.length ?? 0;
  }

  add(task: Task): void {
    const lane = task.isFire ? this.#fires : this.#asked;
    const entry = lane.get(task.playerId) ?? { playerId: task.playerId, tasks: [], tries: 0 };
    entry.tasks.push(task);
    lane.set(task.playerId, entry);
    this.#waiting += 1;
  }

  /** The next batch: up to `max` players that are in no other batch, first come first served. */
  take(max: number): readonly PlayerTasks[] {
    const batch: PlayerTasks[] = [];
    for (const lane of [this.#asked, this.#fires]) {
      for (const entry of lane.values()) {
        if (batch.length >= max) return batch;
        if (this.#inFlight.has(entry.playerId)) continue;
        lane.delete(entry.playerId);
        this.#inFlight.add(entry.playerId);
        this.#waiting -= entry.tasks.length;
        batch.push(entry);
      }
    }
    return batch;
  }

  /** The player may be in a batch again. */
  release(playerId: string): void {
    this.#inFlight.delete(playerId);
  }

  /** Puts tasks back before all that came for the player meanwhile, and releases the player. */
  putBack(entry: PlayerTasks): void {
    const lane = entry.tasks.some((task) => !task.isFire) ? this.#asked : this.#fires;
    const later = lane.get(entry.playerId)?.tasks ?? [];
    lane.set(entry.playerId, { ...entry, tasks: [...entry.tasks, ...later] });
    this.#waiting += entry.tasks.length;
    this.release(entry.playerId);
  }
}
