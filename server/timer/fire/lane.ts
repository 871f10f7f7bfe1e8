import { SignalBox } from '../../runtime/signal-box.ts';
import { entryOf, type IndexEntry } from '../model/index-entry.ts';
import type { FiringTools } from './firing-tools.ts';
import { finish, type InFlight } from './in-flight.ts';
import { deferRows, requeue } from './requeue.ts';
import { Throughput } from './throughput.ts';

const MOST_WAITING = 10_000;
/** A lane that finishes so many a second is a herd: waiting is quicker there than changing a row. */
const HERD = 1000;
const SECOND_MS = 1000;
const CHECK_EVERY_MS = 250;
const LEAST_DEFERRAL_MS = 1000;
const MOST_DEFERRAL_MS = 30_000;
const DEFERRED_AT_ONCE = 1000;

/** The outcome of a batch: entries of timers that come again, and how many fired, failed or were moved by others. */
export interface LaneResult {
  readonly entries: readonly IndexEntry[];
  readonly finished: number;
}

/** Called when there is room again. `finished` counts timers that fired, failed or were moved by others. */
export type OnRoom = (finished: number) => void;

/** How a lane fires its timers: in transactions, or by calls. */
export interface LaneWork {
  /** How many timers the lane would start now; 0: none. */
  readonly room: number;
  readonly running: number;
  /** How many timers are fired at once if enough wait. */
  readonly capacity: number;
  /** Picks the timers to start, at most `room`. */
  choose(waiting: readonly InFlight[]): readonly InFlight[];
  /** Fires timers: ends and settles each one; never throws. May call `onRoom` at any time. */
  begin(timers: readonly InFlight[], onRoom: OnRoom): Promise<void>;
}

interface Dependencies {
  readonly tools: FiringTools;
  readonly kind: string;
  readonly work: LaneWork;
  /** How long a timer may wait in a lane that is no herd. */
  readonly patienceMs: number;
}

export interface LaneState {
  readonly kind: string;
  readonly running: number;
  readonly waiting: number;
}

/**
 * The timers of one kind in this process. Each timer leaves the lane within seconds, whatever the kind's handler does:
 * it has fired, or is deferred in its row. Then its delivery is acked and delays nothing else.
 */
export class Lane {
  readonly #on: Dependencies;
  readonly #throughput = new Throughput();
  readonly #running = new Set<Promise<void>>();
  readonly #changes = new SignalBox();
  #waiting: readonly InFlight[] = [];
  #isStopping = false;
  #cancelCheck: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  get state(): LaneState {
    const { kind, work } = this.#on;
    return { kind, running: work.running, waiting: this.#waiting.length };
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#running.size === 0;
  }

  /** Adds timers. In a herd it waits for room, otherwise at most a second; it never waits for a handler. */
  async add(timers: readonly InFlight[]): Promise<void> {
    for (let left = timers; left.length > 0; ) {
      if (this.#isStopping) return this.#requeue(left, 'stopping');
      if (this.isIdle) this.#throughput.begin(this.#nowMs());
      const room = MOST_WAITING - this.#waiting.length;
      this.#waiting = [...this.#waiting, ...left.slice(0, room)];
      left = left.slice(room);
      this.#pump();
      if (left.length === 0) return;
      if (this.#isSlow()) return this.#track(this.#defer(left, this.#waiting.length));
      await this.#changes.wait(CHECK_EVERY_MS, this.#on.tools.clock.after);
    }
  }

  /** Resolves when no timer waits and no work runs. */
  async idle(): Promise<void> {
    while (!this.isIdle) await Promise.race(this.#running);
  }

  /** Requeues waiting timers; running work goes on. */
  stop(): void {
    this.#isStopping = true;
    this.#cancelCheck?.();
    this.#requeueWaiting('stopping');
    this.#changes.ring();
  }

  #nowMs(): number {
    return this.#on.tools.clock.monotonicMs();
  }

  #pump(): void {
    const { tools, kind, work } = this.#on;
    if (tools.kinds.isPaused(kind)) this.#requeueWaiting('paused');
    while (this.#waiting.length > 0 && work.room > 0) {
      const chosen = work.choose(this.#waiting);
      this.#waiting = without(this.#waiting, chosen);
      this.#track(
        work.begin(chosen, (finished) => {
          this.#throughput.finish(finished, this.#nowMs());
          this.#pump();
        }),
      );
      this.#changes.ring();
    }
    if (this.#waiting.length > 0) this.#checkLater();
  }

  #track(work: Promise<void>): void {
    const { tools, kind } = this.#on;
    const failed = (error: unknown): void => tools.log.error({ err: error, kind }, 'a lane failed');
    const tracked = work.catch(failed).finally(() => {
      this.#running.delete(tracked);
      if (!this.#isStopping) this.#pump();
    });
    this.#running.add(tracked);
  }

  /** While timers wait: checks whether waiting still pays. */
  #checkLater(): void {
    if (this.#cancelCheck) return;
    this.#cancelCheck = this.#on.tools.clock.after(CHECK_EVERY_MS, () => {
      this.#cancelCheck = undefined;
      this.#deferIfSlow();
      if (this.#waiting.length > 0) this.#checkLater();
    });
  }

  #isSlow(): boolean {
    const nowMs = this.#nowMs();
    return this.#throughput.busyMs(nowMs) >= SECOND_MS && this.#throughput.finishedInLastSecond(nowMs) < HERD;
  }

  #deferIfSlow(): void {
    const [oldest] = this.#waiting;
    if (oldest === undefined || !this.#isSlow()) return;
    const nowMs = this.#nowMs();
    const isFull = this.#waiting.length >= MOST_WAITING;
    const isStalled = this.#throughput.stalledMs(nowMs) >= SECOND_MS;
    if (!isFull && !isStalled && nowMs - oldest.acceptedAtMs < this.#on.patienceMs) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#track(this.#defer(waiting, 0));
    this.#changes.ring();
  }

  /** Defers in the rows, because the sweeper hands off an overdue row that no process works on. */
  async #defer(timers: readonly InFlight[], ahead: number): Promise<void> {
    const { tools, kind, work } = this.#on;
    const perSecond = this.#throughput.perSecond(work.capacity, this.#nowMs());
    for (let from = 0; from < timers.length; from += DEFERRED_AT_ONCE) {
      const some = timers.slice(from, from + DEFERRED_AT_ONCE);
      const deferred = await deferRows(tools, rowsOf(some), (_timer, at) => ({
        byMs: deferralMs((ahead + from + at + 1) / perSecond),
        claims: 0,
      }));
      tools.observe({ type: 'deferred', kind, count: deferred.timers.length });
      await finish(tools, some, [...deferred.timers.map(entryOf), ...deferred.others]);
    }
  }

  #requeueWaiting(reason: 'paused' | 'stopping'): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) this.#track(this.#requeue(waiting, reason));
  }

  #requeue(timers: readonly InFlight[], reason: 'paused' | 'stopping'): Promise<void> {
    const { tools } = this.#on;
    return finish(tools, timers, requeue(tools, rowsOf(timers), { reason }));
  }
}

const rowsOf = (timers: readonly InFlight[]) => timers.map(({ timer }) => timer);

/** As a rule the chosen timers are the first ones. */
const without = (waiting: readonly InFlight[], chosen: readonly InFlight[]): readonly InFlight[] => {
  if (chosen.every((one, at) => one === waiting[at])) return waiting.slice(chosen.length);
  const gone = new Set(chosen);
  return waiting.filter((one) => !gone.has(one));
};

const deferralMs = (seconds: number): number =>
  Math.ceil(Math.min(MOST_DEFERRAL_MS, Math.max(LEAST_DEFERRAL_MS, seconds * SECOND_MS)));
