import { isOfThing, type Timer } from '../../../server/timer/model/timer.ts';
import type { TimerTarget } from '../../../server/timer/model/timer-changes.ts';

/** A call that was done: what was wanted and what it returned, as JSON. */
export interface DoneCommand {
  readonly body: string;
  readonly answer: string;
  readonly atMs: number;
}

/** Rows by id, and the calls that were done once; or what a transaction has changed of them, on top of what is committed. */
export class TimerRows {
  readonly #below: TimerRows | undefined;
  /** Undefined: deleted. */
  readonly #timers = new Map<string, Timer | undefined>();
  readonly #commands = new Map<string, DoneCommand | undefined>();
  /** Ids of all timers that ever had the key here. */
  readonly #byKey = new Map<string, Set<string>>();
  #ownIds = -1;
  #thingIds = 0;

  constructor(below?: TimerRows) {
    this.#below = below;
  }

  fork(): TimerRows {
    return new TimerRows(this);
  }

  /** Of a fork: what it changed is so from now on. */
  commit(): void {
    const below = this.#below;
    if (!below) throw new Error('nothing lies below: there is nothing to commit');
    for (const [id, timer] of this.#timers) timer ? below.set(timer) : below.delete(id);
    for (const [id, command] of this.#commands) below.#put(below.#commands, id, command);
    this.#timers.clear();
    this.#commands.clear();
  }

  /** Of all forks together: none is given twice. Odd. */
  nextId(): string {
    if (this.#below) return this.#below.nextId();
    this.#ownIds += 2;
    return String(this.#ownIds);
  }

  /** The same for things. Even. */
  nextThingId(): string {
    if (this.#below) return this.#below.nextThingId();
    this.#thingIds += 2;
    return String(this.#thingIds);
  }

  get(id: string): Timer | undefined {
    return this.#timers.has(id) ? this.#timers.get(id) : this.#below?.get(id);
  }

  set(timer: Timer): void {
    this.#timers.set(timer.id, timer);
    const name = nameOf(timer);
    const ids = this.#byKey.get(name) ?? new Set();
    this.#byKey.set(name, ids.add(timer.id));
  }

  delete(id: string): void {
    this.#put(this.#timers, id, undefined);
  }

  command(id: string): DoneCommand | undefined {
    return this.#commands.has(id) ? this.#commands.get(id) : this.#below?.command(id);
  }

  setCommand(id: string, command: DoneCommand | undefined): void {
    this.#put(this.#commands, id, command);
  }

  commands(): [string, DoneCommand][] {
    const all = new Map(this.#below?.commands());
    for (const [id, command] of this.#commands) command ? all.set(id, command) : all.delete(id);
    return [...all];
  }

  all(): Timer[] {
    if (!this.#below) return [...this.#timers.values()].flatMap((timer) => timer ?? []);
    const all = new Map(this.#below.all().map((timer) => [timer.id, timer]));
    for (const [id, timer] of this.#timers) timer ? all.set(id, timer) : all.delete(id);
    return [...all.values()];
  }

  scheduled(): Timer[] {
    return this.all()
      .filter(({ state }) => state === 'scheduled')
      .sort(inDueOrder);
  }

  /** By key: the scheduled one, else the last that completed or died. */
  find(target: TimerTarget): Timer | undefined {
    if ('timerId' in target) return this.get(target.timerId);
    const same = this.#named(target);
    return same.find(({ state }) => state === 'scheduled') ?? same.findLast(({ state }) => state !== 'cancelled');
  }

  /** Also one that is not due: then it is cancelled. */
  thing(key: TimerKey): Timer | undefined {
    return this.#named(key).find(({ id }) => isOfThing(id));
  }

  /** A thing's timer may have had another kind. */
  #named(key: TimerKey): readonly Timer[] {
    const name = nameOf(key);
    return this.#idsOf(name).flatMap(
      (id) => [this.get(id)].filter((timer) => timer && nameOf(timer) === name) as Timer[],
    );
  }

  #idsOf(name: string): readonly string[] {
    const below = this.#below;
    const own = this.#byKey.get(name) ?? [];
    return below ? [...new Set([...below.#idsOf(name), ...own])] : [...own];
  }

  #put<Row>(rows: Map<string, Row | undefined>, id: string, row: Row | undefined): void {
    if (row === undefined && !this.#below) rows.delete(id);
    else rows.set(id, row);
  }
}

type TimerKey = Pick<Timer, 'kind' | 'subject'>;

const nameOf = ({ kind, subject }: TimerKey): string => `${kind} ${subject}`;

type Placed = Pick<Timer, 'fireAtMs' | 'id'>;
export const inDueOrder = (left: Placed, right: Placed): number =>
  left.fireAtMs - right.fireAtMs || Number(left.id) - Number(right.id);
