import { textOf } from '../../../../shared/game-code.ts';
import type { IndexChanges } from '../../model/index-entry.ts';
import { entryOf, type IndexEntry } from '../../model/index-entry.ts';
import type { Timer } from '../../model/timer.ts';
import type { CallKind } from '../../model/timer-kind.ts';
import type { SavedTimer, TimerUpdate } from '../../model/timer-store.ts';
import { indexChangesOf } from '../../write/timer-writer.ts';
import { failOwn, ownFailure } from '../attempt/failed-attempt.ts';
import type { FiringTools } from '../attempt/firing-tools.ts';
import type { LaneTurn, LaneWork } from '../attempt/lane-work.ts';
import { deferRows, giveBack, putBack, tellIndex } from '../attempt/put-back.ts';
import type { TakenTimer } from '../attempt/taken-timer.ts';
import { afterCall } from './again.ts';
import { CallAborted } from './call-aborted.ts';
import { notKept } from './kept-result.ts';
import { type CallOutcome, RunningCall } from './running-call.ts';

const AT_ONCE = 16;
const DEFAULT_TIMEOUT_MS = 10_000;
/** A claim lasts so much longer than its call: the time in which the outcome is saved. */
export const SPARE_MS = 5000;
const SAVE_AGAIN_MS = 500;
const SAVES = SPARE_MS / SAVE_AGAIN_MS;
/** A call that was begun more often without an outcome may be what ends the process. */
const MOST_CLAIMS = 5;

export const timeoutOf = ({ timeoutMs = DEFAULT_TIMEOUT_MS }: CallKind): number => timeoutMs;

interface Dependencies {
  readonly tools: FiringTools;
  readonly kind: CallKind;
}

/**
 * Works a lane off by calls. A row is claimed before its call: its fire time is moved behind the call's end, so that
 * the call needs no delivery, and comes again by itself if this process dies.
 */
export class Calls implements LaneWork {
  readonly #tools: FiringTools;
  readonly #kind: CallKind;
  readonly #running = new Set<RunningCall>();
  #claiming = 0;
  #isStopping = false;

  constructor({ tools, kind }: Dependencies) {
    this.#tools = tools;
    this.#kind = kind;
  }

  /** One claim at a time: the slots that come free meanwhile are claimed together. */
  get room(): number {
    return this.#claiming > 0 ? 0 : Math.max(0, this.capacity - this.#running.size);
  }

  get running(): number {
    return this.#running.size + this.#claiming;
  }

  get capacity(): number {
    return this.#kind.atOnce ?? AT_ONCE;
  }

  choose(waiting: readonly TakenTimer[]): readonly TakenTimer[] {
    return waiting.slice(0, this.room);
  }

  /** Calls that run go on; claims that are being made are given back. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Ends the calls that run. Their claims stay, since nobody knows what they did. */
  abort(): void {
    for (const call of this.#running) call.abort(new CallAborted('stopping'));
  }

  /** Ends calls whose timers have moved on. */
  heard(entries: readonly Pick<IndexEntry, 'timerId' | 'revision'>[]): void {
    if (this.#running.size === 0) return;
    const revisions = new Map(entries.map(({ timerId, revision }) => [timerId, revision]));
    for (const call of this.#running) {
      if ((revisions.get(call.timer.id) ?? 0) > call.revision) call.abort(new CallAborted('moved'));
    }
  }

  async begin(taken: readonly TakenTimer[], onRoom: (turn: LaneTurn) => void): Promise<void> {
    this.#claiming = taken.length;
    const worn = taken.filter(({ timer }) => timer.claims > MOST_CLAIMS);
    const fresh = taken.filter((one) => !worn.includes(one));
    const { claimed, others } = await this.#claim(fresh);
    this.#claiming = 0;
    const isStopping = this.#isStopping;
    const told = isStopping ? this.#giveBack(claimed) : this.#tell(claimed);
    const calls = isStopping ? [] : claimed.map((one) => this.#call(one, { told, onRoom }));
    onRoom({ finished: worn.length });
    const obtained = new Set(claimed.map((one) => one.taken));
    const left = fresh.filter((one) => !obtained.has(one));
    await Promise.all([told, ...calls, putBack(this.#tools, left, others), ...worn.map((one) => this.#wearOut(one))]);
  }

  async #claim(taken: readonly TakenTimer[]) {
    if (taken.length === 0) return { claimed: [], others: [] };
    const byMs = timeoutOf(this.#kind) + SPARE_MS;
    const seen = taken.map(({ timer }) => timer);
    const { timers, others } = await deferRows(this.#tools, seen, () => ({ byMs, claims: 1 }));
    const rows = new Map(timers.map((timer) => [timer.id, timer]));
    const claimed = taken.flatMap((one): readonly Claimed[] => {
      const row = rows.get(one.timer.id);
      if (row === undefined) return [];
      const before = one.timer;
      one.timer = row;
      return [{ taken: one, seen: before, row }];
    });
    return { claimed, others };
  }

  /** The call itself needs no delivery. */
  async #tell(claimed: readonly Claimed[]): Promise<void> {
    await tellIndex(this.#tools, { put: claimed.map(({ row }) => entryOf(row)), remove: [] });
    for (const { taken } of claimed) taken.settle();
  }

  async #giveBack(claimed: readonly Claimed[]): Promise<void> {
    const rows = claimed.map(({ row }) => row);
    const { timers, others } = await deferRows(this.#tools, rows, () => ({ byMs: 0, claims: -1 }));
    await putBack(
      this.#tools,
      claimed.map(({ taken }) => taken),
      [...giveBack(this.#tools, timers), ...others],
    );
  }

  async #wearOut(taken: TakenTimer): Promise<void> {
    const { timer } = taken;
    const error = new Error(
      `its call was begun ${timer.claims} times, and each time the process ended before the call`,
    );
    await putBack(this.#tools, [taken], await failOwn(this.#tools, timer, error, this.#kind.retryDelaysMs));
  }

  async #call({ taken, seen, row }: Claimed, { told, onRoom }: Begin): Promise<void> {
    const { clock } = this.#tools;
    const call = new RunningCall({
      kind: this.#kind,
      timer: seen,
      revision: row.revision,
      timeoutMs: timeoutOf(this.#kind),
      after: clock.after,
    });
    this.#running.add(call);
    const outcome = await call.outcome;
    const changes = outcome.outcome === 'unknown' ? undefined : await this.#save(call, outcome);
    this.#running.delete(call);
    taken.end();
    onRoom({ finished: 1 });
    if (changes === undefined) return;
    // A removal that overtakes the claim's entry would leave that behind.
    await told;
    await tellIndex(this.#tools, changes);
  }

  /** Returns what the index has to hear; undefined when the outcome does not count, or could not be saved. */
  async #save(
    call: RunningCall,
    outcome: Exclude<CallOutcome, { outcome: 'unknown' }>,
  ): Promise<IndexChanges | undefined> {
    const { storeClock, observe } = this.#tools;
    const { timer, revision } = call;
    const { kind } = timer;
    const { update, failure } = this.#judge({ ...timer, revision }, outcome);
    const saved = await this.#saveInTime(update);
    if (saved === undefined) return undefined;
    if (saved.length === 0) {
      call.abort(new CallAborted('moved'));
      return undefined;
    }
    const nowMs = Math.floor(storeClock.nowMs());
    if (!failure) observe({ type: 'fired', kind, timers: [timer], nowMs });
    else observe({ type: update.state === 'dead' ? 'dead' : 'failed', timer, error: failure.error });
    return indexChangesOf(saved);
  }

  /** A recurrence that cannot be read here is a failed attempt: the call is made again, with the same key. */
  #judge(timer: Timer, outcome: Exclude<CallOutcome, { outcome: 'unknown' }>): Judged {
    const failed = (error: unknown): Judged => ({
      update: ownFailure(this.#tools, timer, error, this.#kind.retryDelaysMs),
      failure: { error },
    });
    if (outcome.outcome === 'failed') return failed(outcome.error);
    try {
      return { update: afterCall(timer, outcome.result) };
    } catch (error) {
      return failed(error);
    }
  }

  /** While the claim lasts. After that the call is made again, with the same key. */
  async #saveInTime(update: TimerUpdate, isBare = false): Promise<readonly SavedTimer[] | undefined> {
    const { store, clock, log } = this.#tools;
    const isItsResult = !isBare && (update.result !== undefined || update.again?.payload !== undefined);
    for (let left = SAVES; ; left -= 1) {
      try {
        return await store.save([update]);
      } catch (error) {
        const isWorldFault = store.isWorldFault(error);
        if (left > 0 && isWorldFault) {
          await new Promise<void>((resolve) => void clock.after(SAVE_AGAIN_MS, resolve));
          continue;
        }
        log.error(
          { err: error, kind: this.#kind.kind, timerId: update.timerId },
          'the outcome of a call was not saved',
        );
        return isWorldFault || !isItsResult ? undefined : this.#saveInTime(withoutResult(update, error), true);
      }
    }
  }
}

/** What the store could not take is what the call returned, as a rule: the timer completes without. */
const withoutResult = ({ timerId, revision, fireAtMs, attempt }: TimerUpdate, error: unknown): TimerUpdate => {
  return { timerId, revision, fireAtMs, attempt, state: 'completed', result: notKept(textOf(error)) };
};

/** A timer as it was seen, and its row with the claim. */
interface Claimed {
  readonly taken: TakenTimer;
  readonly seen: Timer;
  readonly row: Timer;
}

/** What becomes of the row, and why it is tried again where it is. */
interface Judged {
  readonly update: TimerUpdate;
  readonly failure?: { readonly error: unknown };
}

interface Begin {
  /** Resolves when the index has the claims. */
  readonly told: Promise<void>;
  readonly onRoom: (turn: LaneTurn) => void;
}
