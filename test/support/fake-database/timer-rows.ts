import type { Timer } from '../../../server/timer/model/timer.ts';
import type { TimerTarget } from '../../../server/timer/model/timer-changes.ts';

/** A call that was done: what was wanted and what it returned, as JSON. */
export interface DoneCommand {
  readonly body: string;
  readonly answer: string;
  readonly atMs: number;
}

/** Rows by id, or what a transaction has changed of them; and the calls that were done once. */
export class TimerRows {
  readonly #rows: Map<string, Timer>;
  readonly commands: Map<string, DoneCommand>;

  constructor(rows: ReadonlyMap<string, Timer> = new Map(), commands: ReadonlyMap<string, DoneCommand> = new Map()) {
    this.#rows = new Map(rows);
    this.commands = new Map(commands);
  }

  fork(): TimerRows {
    return new TimerRows(this.#rows, this.commands);
  }

  /** Becomes what a committed transaction made. */
  take(rows: TimerRows): void {
    this.#rows.clear();
    for (const timer of rows.all()) this.#rows.set(timer.id, timer);
    this.commands.clear();
    for (const [id, command] of rows.commands) this.commands.set(id, command);
  }

  get(id: string): Timer | undefined {
    return this.#rows.get(id);
  }

  set(timer: Timer): void {
    this.#rows.set(timer.id, timer);
  }

  delete(id: string): void {
    this.#rows.delete(id);
  }

  all(): Timer[] {
    return [...this.#rows.values()];
  }

  scheduled(): Timer[] {
    return this.all()
      .filter(({ state }) => state === 'scheduled')
      .sort(inDueOrder);
  }

  /** By key: the scheduled one, else the last that completed or died. */
  find(target: TimerTarget): Timer | undefined {
    if ('timerId' in target) return this.#rows.get(target.timerId);
    const same = this.all().filter(({ kind, subject }) => kind === target.kind && subject === target.subject);
    return same.find(({ state }) => state === 'scheduled') ?? same.findLast(({ state }) => state !== 'cancelled');
  }
}

type Placed = Pick<Timer, 'fireAtMs' | 'id'>;
export const inDueOrder = (left: Placed, right: Placed): number =>
  left.fireAtMs - right.fireAtMs || Number(left.id) - Number(right.id);
