import type { ModuleFault } from '../../domain/module-fault.ts';
import type { HomeOrder, HomeView, Outcome } from '../model/homes.ts';
import { Ahead, type AheadOn } from './ahead.ts';

/** The home after a task, and what came of its order. */
export interface Seen {
  readonly view: HomeView;
  readonly outcome: Outcome | undefined;
  /** Timers of things that the batch moved or ended, by id. */
  readonly moved: ReadonlySet<string>;
}

/** One thing to do with a player's home: an order, or just to look, which settles. */
export interface Task {
  readonly playerId: string;
  readonly order: HomeOrder | undefined;
  /** Nobody waits for it with a screen in front: it comes after what players asked for. */
  readonly isFire: boolean;
  readonly done: (seen: Seen) => void;
  readonly failed: (error: unknown) => void;
}

/** Everything that waits for one player's home. */
export interface PlayerTasks {
  readonly playerId: string;
  readonly tasks: Task[];
  /** How often the home was locked by somebody else, or its transaction failed. */
  tries: number;
  /** In how many batches it was settled so far, without an end. */
  slices: number;
  readonly ahead: Ahead;
  /** What the game's own rows said no to, once they did. */
  hostFault?: HostFaultOf;
}

/** First each order is tried alone, then one that is still refused is left out; where settling is, the home stands still. */
export interface HostFaultOf {
  readonly fault: ModuleFault;
  readonly step: 'one-by-one' | 'without-order' | 'stand-still';
}

/**
 * What waits for the write path: what players asked for, and fires, apart. A player is in one batch at a time, and own
 * orders stay in order.
 */
export class WriteQueue {
  readonly #on: AheadOn;
  readonly #asked = new Map<string, PlayerTasks>();
  readonly #fires = new Map<string, PlayerTasks>();
  /** Asked for, and not to be tried before a pause is over. */
  readonly #parked = new Map<string, PlayerTasks>();
  readonly #inFlight = new Set<string>();
  #waiting = 0;

  constructor(on: AheadOn) {
    this.#on = on;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** How many players wait for what they asked for. */
  get players(): number {
    return this.#asked.size;
  }

  waitingOf(playerId: string): number {
    return (this.#asked.get(playerId) ?? this.#parked.get(playerId))?.tasks.length ?? 0;
  }

  add(task: Task): void {
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
        ahead: new Ahead(this.#on),
      });
  }

  /** Up to `max` players who asked for something and are in no other batch, first come first served. Their fires come along. */
  takeAsked(max: number): readonly PlayerTasks[] {
    const batch = this.#take(this.#asked, max);
    for (const { playerId, tasks } of batch) {
      const fires = this.#fires.get(playerId);
      if (!fires) continue;
      this.#fires.delete(playerId);
      this.#waiting -= fires.tasks.length;
      tasks.push(...fires.tasks);
    }
    return batch;
  }

  /** The same of those for whom a timer fired. */
  takeFires(max: number): readonly PlayerTasks[] {
    return this.#take(this.#fires, max);
  }

  /** The player may be in a batch again. */
  release(playerId: string): void {
    this.#inFlight.delete(playerId);
  }

  /** Puts tasks back before all that came for the player meanwhile, and releases the player. */
  putBack(entry: PlayerTasks): void {
    const isAsked = entry.tasks.some((task) => !task.isFire);
    this.#putInto(isAsked ? this.#asked : this.#fires, entry);
  }

  /** The same, but these and later orders of the player wait until `unpark`. Fires do not. */
  park(entry: PlayerTasks): void {
    this.#putInto(this.#parked, entry);
  }

  unpark(playerId: string): void {
    const entry = this.#parked.get(playerId);
    this.#parked.delete(playerId);
    if (entry) this.#asked.set(playerId, entry);
  }

  #take(lane: Map<string, PlayerTasks>, max: number): readonly PlayerTasks[] {
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

  #putInto(lane: Map<string, PlayerTasks>, entry: PlayerTasks): void {
    const from = lane === this.#fires ? this.#fires : this.#asked;
    const later = from.get(entry.playerId)?.tasks ?? [];
    from.delete(entry.playerId);
    lane.set(entry.playerId, { ...entry, tasks: [...entry.tasks, ...later] });
    this.#waiting += entry.tasks.length;
    this.release(entry.playerId);
  }
}
