import { SignalBox } from '../../../runtime/signal-box.ts';
import { entryOf } from '../../model/index-entry.ts';
import type { FiringTools } from '../attempt/firing-tools.ts';
import type { LaneWork } from '../attempt/lane-work.ts';
import { deferRows, giveBack, putBack, putBackAt } from '../attempt/put-back.ts';
import type { TakenTimer } from '../attempt/taken-timer.ts';
import { Pace } from './pace.ts';

const MOST_WAITING = 10_000;
/** A lane that finishes as many in a second is a herd: what waits in it comes to its turn sooner than a row is changed. */
const HERD = 1000;
const SECOND_MS = 1000;
const LOOK_EVERY_MS = 250;
const LEAST_DEFERRAL_MS = 1000;
const MOST_DEFERRAL_MS = 30_000;
const DEFERRED_AT_ONCE = 1000;

interface Dependencies {
  readonly tools: FiringTools;
  readonly kind: string;
  readonly work: LaneWork;
  /** How long a timer may wait in a lane that is no herd. */
  readonly patienceMs: number;
}

/** What is to be seen of a lane from outside. */
export interface LaneState {
  readonly kind: string;
  readonly running: number;
  readonly waiting: number;
}

/**
 * The timers of one kind in this process. Whatever the kind's handler does, a timer leaves the lane within seconds:
 * fired, or deferred in its row, so that its delivery is acked and nothing else waits for it.
 */
export class Lane {
  readonly #tools: FiringTools;
  readonly #kind: string;
  readonly #work: LaneWork;
  readonly #patienceMs: number;
  readonly #pace = new Pace();
  readonly #running = new Set<Promise<void>>();
  readonly #changes = new SignalBox();
  #waiting: readonly TakenTimer[] = [];
  #isStopping = false;
  #cancelLook: (() => void) | undefined;

  constructor({ tools, kind, work, patienceMs }: Dependencies) {
    this.#tools = tools;
    this.#kind = kind;
    this.#work = work;
    this.#patienceMs = patienceMs;
  }

  get state(): LaneState {
    return { kind: this.#kind, running: this.#work.running, waiting: this.#waiting.length };
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#running.size === 0;
  }

  /** Takes timers in. Waits for room in a herd, at most a second otherwise; never for a handler. */
  async add(taken: readonly TakenTimer[]): Promise<void> {
    for (let left = taken; left.length > 0; ) {
      if (this.#isStopping) return this.#giveBack(left);
      if (this.isIdle) this.#pace.begin(this.#nowMs());
      const room = MOST_WAITING - this.#waiting.length;
      this.#waiting = [...this.#waiting, ...left.slice(0, room)];
      left = left.slice(room);
      this.#pump();
      if (left.length === 0) return;
      if (this.#isSlow()) return this.#track(this.#defer(left, this.#waiting.length));
      await this.#changes.wait(LOOK_EVERY_MS, this.#tools.clock.after);
    }
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    while (!this.isIdle) await Promise.race(this.#running);
  }

  /** Gives back what waits; what runs goes on. */
  stop(): void {
    this.#isStopping = true;
    this.#cancelLook?.();
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) this.#track(this.#giveBack(waiting));
    this.#changes.ring();
  }

  #nowMs(): number {
    return this.#tools.clock.monotonicMs();
  }

  #pump(): void {
    if (this.#tools.kinds.isPaused(this.#kind)) this.#putOff();
    while (this.#waiting.length > 0 && this.#work.room > 0) {
      const chosen = this.#work.choose(this.#waiting);
      this.#waiting = without(this.#waiting, chosen);
      this.#track(
        this.#work.begin(chosen, ({ finished }) => {
          this.#pace.finish(finished, this.#nowMs());
          this.#pump();
        }),
      );
      this.#changes.ring();
    }
    if (this.#waiting.length > 0) this.#look();
  }

  #track(work: Promise<void>): void {
    const failed = (error: unknown): void => this.#tools.log.error({ err: error, kind: this.#kind }, 'a lane failed');
    const tracked = work.catch(failed).finally(() => {
      this.#running.delete(tracked);
      if (!this.#isStopping) this.#pump();
    });
    this.#running.add(tracked);
  }

  /** While anything waits: is it worth waiting? */
  #look(): void {
    if (this.#cancelLook) return;
    this.#cancelLook = this.#tools.clock.after(LOOK_EVERY_MS, () => {
      this.#cancelLook = undefined;
      this.#deferIfSlow();
      if (this.#waiting.length > 0) this.#look();
    });
  }

  #isSlow(): boolean {
    const nowMs = this.#nowMs();
    return this.#pace.busyMs(nowMs) >= SECOND_MS && this.#pace.finishedInLastSecond(nowMs) < HERD;
  }

  #deferIfSlow(): void {
    const [oldest] = this.#waiting;
    if (oldest === undefined || !this.#isSlow()) return;
    const nowMs = this.#nowMs();
    const isFull = this.#waiting.length >= MOST_WAITING;
    const isStalled = this.#pace.stalledMs(nowMs) >= SECOND_MS;
    if (!isFull && !isStalled && nowMs - oldest.takenAtMs < this.#patienceMs) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#track(this.#defer(waiting, 0));
    this.#changes.ring();
  }

  /** In their rows: an overdue row that nobody works on is what the sweeper is there to find. */
  async #defer(taken: readonly TakenTimer[], ahead: number): Promise<void> {
    const perSecond = this.#pace.perSecond(this.#work.capacity, this.#nowMs());
    for (let from = 0; from < taken.length; from += DEFERRED_AT_ONCE) {
      const some = taken.slice(from, from + DEFERRED_AT_ONCE);
      const { timers, others } = await deferRows(
        this.#tools,
        some.map(({ timer }) => timer),
        (_timer, at) => ({ byMs: deferralMs((ahead + from + at + 1) / perSecond), claims: 0 }),
      );
      this.#tools.observe({ type: 'deferred', kind: this.#kind, count: timers.length });
      await putBack(this.#tools, some, [...timers.map(entryOf), ...others]);
    }
  }

  #putOff(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    const entries = putBackAt(
      this.#tools,
      waiting.map(({ timer }) => timer),
      { fireAtMs: this.#tools.storeClock.nowMs() + PAUSED_MS, reason: 'paused' },
    );
    this.#track(putBack(this.#tools, waiting, entries));
  }

  async #giveBack(taken: readonly TakenTimer[]): Promise<void> {
    const timers = taken.map(({ timer }) => timer);
    await putBack(this.#tools, taken, giveBack(this.#tools, timers));
  }
}

/** After so long a paused kind's timers are looked at again. */
export const PAUSED_MS = 5000;

/** Those chosen are the first, as a rule. */
const without = (waiting: readonly TakenTimer[], chosen: readonly TakenTimer[]): readonly TakenTimer[] => {
  if (chosen.every((one, at) => one === waiting[at])) return waiting.slice(chosen.length);
  const gone = new Set(chosen);
  return waiting.filter((one) => !gone.has(one));
};

const deferralMs = (seconds: number): number =>
  Math.ceil(Math.min(MOST_DEFERRAL_MS, Math.max(LEAST_DEFERRAL_MS, seconds * SECOND_MS)));
