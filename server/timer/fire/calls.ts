import { entryOf, type IndexChanges, type IndexEntry, indexChangesOf } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import type { CallKind } from '../model/timer-kind.ts';
import type { SavedTimer, TimerUpdate } from '../model/timer-store.ts';
import { coalescedSaves } from '../write/coalesced-writes.ts';
import { afterCall, withoutResult } from './again.ts';
import { failOwn, ownFailure } from './failure.ts';
import type { FiringTools } from './firing-tools.ts';
import { finish, type InFlight } from './in-flight.ts';
import type { LaneWork, OnRoom } from './lane.ts';
import { judgeLate } from './late-timers.ts';
import { deferRows, publish, requeue } from './requeue.ts';
import { CallAborted, type CallOutcome, RunningCall } from './running-call.ts';

const AT_ONCE = 16;
const DEFAULT_TIMEOUT_MS = 10_000;
/** A claim outlasts its call by this time, in which the outcome is saved. */
export const SPARE_MS = 5000;
const SAVE_AGAIN_MS = 500;
const SAVES = SPARE_MS / SAVE_AGAIN_MS;
/** After so many calls without an outcome the call itself may be what crashes the process. */
const MOST_CLAIMS = 5;

export const timeoutOf = ({ timeoutMs = DEFAULT_TIMEOUT_MS }: CallKind): number => timeoutMs;

interface Dependencies {
  readonly tools: FiringTools;
  readonly kind: CallKind;
}

/**
 * Fires a lane's timers by calls. Before a call its row is claimed: the row's fire time moves behind the end of the
 * call. So the call needs no delivery, and is made again if this process dies.
 */
export class Calls implements LaneWork {
  readonly #on: Dependencies;
  readonly #save: ReturnType<typeof coalescedSaves>;
  readonly #running = new Set<RunningCall>();
  #claiming = 0;
  #isStopping = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    const { store, clock } = dependencies.tools;
    this.#save = coalescedSaves({ store, after: clock.after });
  }

  /** One claim at a time: slots that become free meanwhile are claimed together. */
  get room(): number {
    return this.#claiming > 0 ? 0 : Math.max(0, this.capacity - this.#running.size);
  }

  get running(): number {
    return this.#running.size + this.#claiming;
  }

  get capacity(): number {
    return this.#on.kind.atOnce ?? AT_ONCE;
  }

  choose(waiting: readonly InFlight[]): readonly InFlight[] {
    return waiting.slice(0, this.room);
  }

  /** Running calls go on; claims in progress are undone. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Aborts the running calls. Their claims stay, because the effects of the calls are unknown. */
  abort(): void {
    for (const call of this.#running) call.abort(new CallAborted('stopping'));
  }

  /** Aborts calls of timers that were changed meanwhile. */
  abortStale(entries: readonly Pick<IndexEntry, 'timerId' | 'revision'>[]): void {
    if (this.#running.size === 0) return;
    const revisions = new Map(entries.map(({ timerId, revision }) => [timerId, revision]));
    for (const call of this.#running) {
      if ((revisions.get(call.timer.id) ?? 0) > call.revision) call.abort(new CallAborted('moved'));
    }
  }

  async begin(timers: readonly InFlight[], onRoom: OnRoom): Promise<void> {
    const { tools } = this.#on;
    this.#claiming = timers.length;
    const worn = timers.filter(({ timer }) => timer.claims > MOST_CLAIMS);
    const fresh = timers.filter((one) => !worn.includes(one));
    const { judged, later } = await this.#judge(fresh);
    const { claimed, others } = await this.#claim(judged);
    this.#claiming = 0;
    const isStopping = this.#isStopping;
    const published = isStopping ? this.#unclaim(claimed) : this.#publish(claimed);
    const calls = isStopping ? [] : claimed.map((claim) => this.#call(claim, { published, onRoom }));
    onRoom(timers.length - judged.length);
    const obtained = new Set(claimed.map(({ inFlight }) => inFlight));
    const left = fresh.filter((one) => !obtained.has(one));
    const ended = finish(tools, left, [...later, ...others]);
    await Promise.all([published, ...calls, ended, ...worn.map((one) => this.#wearOut(one))]);
  }

  async #judge(timers: readonly InFlight[]) {
    const { tools, kind } = this.#on;
    const seen = timers.map(({ timer }) => timer);
    const { firing, later } = await judgeLate(tools, kind, seen);
    const rows = new Map(firing.map((timer) => [timer.id, timer]));
    for (const one of timers) one.timer = rows.get(one.timer.id) ?? one.timer;
    return { judged: timers.filter(({ timer }) => rows.has(timer.id)), later };
  }

  async #claim(timers: readonly InFlight[]) {
    if (timers.length === 0) return { claimed: [], others: [] };
    const byMs = timeoutOf(this.#on.kind) + SPARE_MS;
    const seen = timers.map(({ timer }) => timer);
    const { timers: rows, others } = await deferRows(this.#on.tools, seen, () => ({ byMs, claims: 1 }));
    const byId = new Map(rows.map((timer) => [timer.id, timer]));
    const claimed = timers.flatMap((inFlight): readonly Claimed[] => {
      const before = inFlight.timer;
      const row = byId.get(before.id);
      if (row === undefined) return [];
      inFlight.timer = row;
      return [{ inFlight, before, row }];
    });
    return { claimed, others };
  }

  /** Publishes the claims, then releases the deliveries: a call needs none. */
  async #publish(claimed: readonly Claimed[]): Promise<void> {
    await publish(this.#on.tools, { put: claimed.map(({ row }) => entryOf(row)), remove: [] });
    for (const { inFlight } of claimed) inFlight.settle();
  }

  /** Undoes claims when the process stops, so that other processes may claim the timers at once. */
  async #unclaim(claimed: readonly Claimed[]): Promise<void> {
    const { tools } = this.#on;
    const rows = claimed.map(({ row }) => row);
    const { timers, others } = await deferRows(tools, rows, () => ({ byMs: 0, claims: -1 }));
    const ended = claimed.map(({ inFlight }) => inFlight);
    await finish(tools, ended, [...requeue(tools, timers, { reason: 'stopping' }), ...others]);
  }

  async #wearOut(inFlight: InFlight): Promise<void> {
    const { tools, kind } = this.#on;
    const { timer } = inFlight;
    const error = new Error(
      `its call was begun ${timer.claims} times, and each time the process ended before the call`,
    );
    await finish(tools, [inFlight], await failOwn(tools, timer, error, kind.retryDelaysMs));
  }

  async #call({ inFlight, before, row }: Claimed, { published, onRoom }: Begin): Promise<void> {
    const { tools, kind } = this.#on;
    const call = new RunningCall({
      kind,
      timer: before,
      revision: row.revision,
      timeoutMs: timeoutOf(kind),
      after: tools.clock.after,
      onFault: (err) => tools.log.error({ err, kind: kind.kind }, 'a listener of a call’s signal failed'),
    });
    this.#running.add(call);
    const beganAtMs = Math.floor(tools.storeClock.nowMs());
    const outcome = await call.outcome;
    const changes = outcome.outcome === 'unknown' ? undefined : await this.#settle(call, outcome, beganAtMs);
    this.#running.delete(call);
    inFlight.end();
    onRoom(1);
    if (changes === undefined) return;
    // The claim's entry must reach the index before its removal, or it would remain there.
    await published;
    await publish(tools, changes);
  }

  /** `nowMs`: when the call began. Returns the index changes to publish; undefined if the outcome no longer counts or could not be saved. */
  async #settle(
    call: RunningCall,
    outcome: Exclude<CallOutcome, { outcome: 'unknown' }>,
    nowMs: number,
  ): Promise<IndexChanges | undefined> {
    const { observe } = this.#on.tools;
    const { timer, revision } = call;
    const { kind } = timer;
    const { update, failure } = this.#resultOf({ ...timer, revision }, outcome);
    const saved = await this.#saveInTime(update);
    if (saved === undefined) return undefined;
    if (saved.length === 0) {
      call.abort(new CallAborted('moved'));
      return undefined;
    }
    if (!failure) observe({ type: 'fired', kind, timers: [timer], nowMs });
    else observe({ type: update.state === 'dead' ? 'dead' : 'failed', timer, error: failure.error });
    return indexChangesOf(saved);
  }

  /** If the recurrence cannot be read here, the attempt has failed and the call is made again with the same key. */
  #resultOf(timer: Timer, outcome: Exclude<CallOutcome, { outcome: 'unknown' }>): CallResult {
    const { tools, kind } = this.#on;
    const failed = (error: unknown): CallResult => ({
      update: ownFailure(tools, timer, error, kind.retryDelaysMs),
      failure: { error },
    });
    if (outcome.outcome === 'failed') return failed(outcome.error);
    try {
      return { update: afterCall(timer, outcome.result, Math.floor(tools.storeClock.nowMs())) };
    } catch (error) {
      return failed(error);
    }
  }

  /** Retries until the claim ends. After that the call is made again with the same key. */
  async #saveInTime(update: TimerUpdate, isBare = false): Promise<readonly SavedTimer[] | undefined> {
    const { store, clock, log } = this.#on.tools;
    const isItsResult = !isBare && (update.result !== undefined || update.again?.payload !== undefined);
    for (let left = SAVES; ; left -= 1) {
      try {
        return await this.#save(update);
      } catch (error) {
        const isWorldFault = store.isWorldFault(error);
        if (left > 0 && isWorldFault) {
          await new Promise<void>((resolve) => void clock.after(SAVE_AGAIN_MS, resolve));
          continue;
        }
        const line = { err: error, kind: this.#on.kind.kind, timerId: update.timerId };
        log.error(line, 'the outcome of a call was not saved');
        return isWorldFault || !isItsResult ? undefined : this.#saveInTime(withoutResult(update, error), true);
      }
    }
  }
}

/** A timer in flight, with its row before and after the claim. */
interface Claimed {
  readonly inFlight: InFlight;
  readonly before: Timer;
  readonly row: Timer;
}

/** The update of the row, and the reason if the call is retried. */
interface CallResult {
  readonly update: TimerUpdate;
  readonly failure?: { readonly error: unknown };
}

interface Begin {
  /** Resolves when the index has the claims. */
  readonly published: Promise<void>;
  readonly onRoom: OnRoom;
}
