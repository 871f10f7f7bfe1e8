import { type Throttle, throttle } from '../../runtime/throttle.ts';
import { entryOf, type IndexEntry, type TimerRef } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import type { EngineKind } from '../model/timer-kind.ts';
import type { Share } from './batches.ts';
import type { FiringTools } from './firing-tools.ts';
import { InFlight } from './in-flight.ts';
import type { LaneState } from './lane.ts';
import { Lanes } from './lanes.ts';
import { publish, requeue } from './requeue.ts';

const UNKNOWN =
  'no handler for this kind of timer here: they wait until a process that has one gets them; register it, or stop that process';
/** Longer than the wait before timers of an unknown kind are retried. */
const UNKNOWN_FOR_MS = 3000;

interface Dependencies {
  readonly tools: FiringTools;
  /** The most timers in a transaction. */
  readonly limit: number;
  /** Connections for the kinds that fire in Postgres. */
  readonly share: Share;
}

export interface Accepted {
  /** The number of timers that entered a lane and were in none before. */
  readonly count: number;
  /** Resolves when each timer is over, claimed, deferred or requeued: then its delivery may be acked. */
  readonly settled: Promise<void>;
}

/**
 * Accepts timers from each loop that finds them due: reads their rows, and adds each timer to the lane of its kind. It
 * waits for no handler, so a slow handler does not delay the timers behind its own.
 */
export class Intake {
  readonly #tools: FiringTools;
  readonly #lanes: Lanes;
  readonly #isTimeToAlarm: Throttle;
  #metUnknownAtMs = Number.NEGATIVE_INFINITY;
  /** By id: the same timer may be delivered, swept and reclaimed at once. */
  readonly #inFlight = new Map<string, InFlight>();

  constructor({ tools, limit, share }: Dependencies) {
    this.#tools = tools;
    this.#lanes = new Lanes({ tools, limit, share });
    this.#isTimeToAlarm = throttle(tools.clock);
  }

  /** Whether this process recently met timers without a handler here: other nodes should receive them. */
  get meetsUnknownKinds(): boolean {
    return this.#tools.clock.monotonicMs() - this.#metUnknownAtMs < UNKNOWN_FOR_MS;
  }

  /** The state of each kind's lane. */
  get lanes(): readonly LaneState[] {
    return this.#lanes.states;
  }

  /** Throws when the rows could not be read. */
  async accept(refs: readonly TimerRef[]): Promise<Accepted> {
    const wanted = [...new Map(refs.map((ref) => [ref.timerId, ref])).values()];
    if (wanted.length === 0) return { count: 0, settled: Promise.resolve() };
    const { timers, nowMs } = await this.#tools.store.read(wanted);
    const early = timers.filter(({ fireAtMs }) => fireAtMs > nowMs);
    const due = timers.filter(({ fireAtMs }) => fireAtMs <= nowMs);
    const again: IndexEntry[] = [...requeue(this.#tools, early, { reason: 'not-due', nowMs })];
    const [settling, adding]: [Promise<void>[], Promise<void>[]] = [[], []];
    let count = 0;
    for (const [name, ofKind] of Map.groupBy(due, (timer) => timer.kind)) {
      const kind = this.#kindToFire(name, ofKind.length);
      if (typeof kind === 'string') {
        again.push(...requeue(this.#tools, ofKind, { reason: kind, nowMs }));
        continue;
      }
      const entered = this.#enter(ofKind, settling);
      count += entered.length;
      adding.push(this.#lanes.of(kind).add(entered));
    }
    await publish(this.#tools, { put: again, remove: [] });
    await Promise.all(adding);
    return { count, settled: Promise.all(settling).then(() => undefined) };
  }

  /** Aborts calls for old revisions, after something other than the lanes wrote the rows. */
  abortStale(entries: readonly Pick<IndexEntry, 'timerId' | 'revision'>[]): void {
    this.#lanes.abortStale(entries);
  }

  /** Requeues waiting timers, and from now on each new one. Running work goes on. */
  stop(): void {
    this.#lanes.stop();
  }

  /** Aborts the running calls: their outcome is unknown. */
  abort(): void {
    this.#lanes.abort();
  }

  /** Resolves when no timer waits and no work runs. */
  idle(): Promise<void> {
    return this.#lanes.idle();
  }

  /** Returns the kind, or the reason why its timers do not fire here. */
  #kindToFire(name: string, count: number): EngineKind | 'unknown-kind' | 'paused' {
    const { kinds, log, clock } = this.#tools;
    const kind = kinds.get(name);
    if (kind === undefined) {
      this.#metUnknownAtMs = clock.monotonicMs();
      if (this.#isTimeToAlarm(name)) log.warn({ code: 'timer/unknown-kind', kind: name, count }, UNKNOWN);
      return 'unknown-kind';
    }
    return kinds.isPaused(name) ? 'paused' : kind;
  }

  /** Adds timers that are not in flight, or only at an older revision: its work can no longer be saved. */
  #enter(timers: readonly Timer[], settling: Promise<void>[]): readonly InFlight[] {
    const nowMs = this.#tools.clock.monotonicMs();
    return timers.flatMap((timer) => {
      const present = this.#inFlight.get(timer.id);
      if (present?.timer.revision === timer.revision) {
        settling.push(present.settled);
        return [];
      }
      if (present) this.#lanes.abortStale([entryOf(timer)]);
      const entered = new InFlight(timer, nowMs, this.#leave);
      this.#inFlight.set(timer.id, entered);
      settling.push(entered.settled);
      return entered;
    });
  }

  #leave = (one: InFlight): void => {
    if (this.#inFlight.get(one.timer.id) === one) this.#inFlight.delete(one.timer.id);
  };
}
