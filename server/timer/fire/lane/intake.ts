import { type Throttle, throttle } from '../../../runtime/throttle.ts';
import { entryOf, type IndexEntry, type TimerRef } from '../../model/index-entry.ts';
import type { Timer } from '../../model/timer.ts';
import type { FiringTools } from '../attempt/firing-tools.ts';
import { judgeLate } from '../attempt/late-timers.ts';
import { putBackAt, tellIndex } from '../attempt/put-back.ts';
import { TakenTimer } from '../attempt/taken-timer.ts';
import { type Lane, type LaneState, PAUSED_MS } from './lane.ts';
import { Lanes } from './lanes.ts';
import type { Share } from './share.ts';

const UNKNOWN_KIND_MS = 1000;
const UNKNOWN =
  'no handler for this kind of timer here: they wait until a process that has one gets them; register it, or stop that process';
/** Longer than the pause after which an unknown kind comes again. */
const STRANGER_MS = 3000;

interface Dependencies {
  readonly tools: FiringTools;
  /** Timers in a transaction. */
  readonly limit: number;
  /** Connections for the kinds that fire in Postgres. */
  readonly share: Share;
}

export interface Taken {
  /** How many came into a lane that were in none. */
  readonly count: number;
  /** Resolves when each of the timers is over, claimed, deferred or put back: its delivery may be acked. */
  readonly settled: Promise<void>;
}

/**
 * Takes in timers, from all that find them due: reads their rows, and gives each to the lane of its kind. It waits for
 * no handler, so that a slow one holds up nothing behind its timers.
 */
export class Intake {
  readonly #tools: FiringTools;
  readonly #lanes: Lanes;
  readonly #isTimeToAlarm: Throttle;
  #metUnknownAtMs = Number.NEGATIVE_INFINITY;
  /** By id: the same timer may be delivered, swept and reclaimed at once. */
  readonly #inWork = new Map<string, TakenTimer>();

  constructor({ tools, limit, share }: Dependencies) {
    this.#tools = tools;
    this.#lanes = new Lanes({ tools, limit, share });
    this.#isTimeToAlarm = throttle(tools.clock);
  }

  /** Whether timers of a kind without a handler here are about: other nodes should get them. */
  get isStranger(): boolean {
    return this.#tools.clock.monotonicMs() - this.#metUnknownAtMs < STRANGER_MS;
  }

  /** How each kind's lane stands. */
  get lanes(): readonly LaneState[] {
    return this.#lanes.states;
  }

  /** Throws when the rows could not be read. */
  async take(given: readonly TimerRef[]): Promise<Taken> {
    const refs = [...new Map(given.map((ref) => [ref.timerId, ref])).values()];
    if (refs.length === 0) return { count: 0, settled: Promise.resolve() };
    const { timers, nowMs } = await this.#tools.store.read(refs);
    const early = timers.filter(({ fireAtMs }) => fireAtMs > nowMs);
    if (early.length > 0) this.#tools.observe({ type: 'put-back', reason: 'not-due', count: early.length });
    const due = timers.filter(({ fireAtMs }) => fireAtMs <= nowMs);
    const again: IndexEntry[] = early.map(entryOf);
    const over: IndexEntry[] = [];
    const [settling, adding]: [Promise<void>[], Promise<void>[]] = [[], []];
    let count = 0;
    for (const [kind, ofKind] of Map.groupBy(due, (timer) => timer.kind)) {
      const lane = this.#laneOf(kind, ofKind.length);
      if (typeof lane === 'object' && 'putBackMs' in lane) {
        const { putBackMs, reason } = lane;
        again.push(...putBackAt(this.#tools, ofKind, { fireAtMs: nowMs + putBackMs, reason }));
        continue;
      }
      const { firing, put, remove } = await this.#judge(kind, { due: ofKind, nowMs });
      again.push(...put);
      over.push(...remove);
      const taken = this.#enter(firing, settling);
      count += taken.length;
      adding.push(lane.add(taken));
    }
    await tellIndex(this.#tools, { put: again, remove: over });
    await Promise.all(adding);
    return { count, settled: Promise.all(settling).then(() => undefined) };
  }

  /** Told of rows that were written by others than the lanes: what is being called for is called for no more. */
  heard(entries: readonly Pick<IndexEntry, 'timerId' | 'revision'>[]): void {
    this.#lanes.heard(entries);
  }

  /** Gives back what waits, and from now on all that comes. What runs goes on. */
  stop(): void {
    this.#lanes.stop();
  }

  /** Ends the calls that run: their outcome is unknown. */
  abort(): void {
    this.#lanes.abort();
  }

  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void> {
    return this.#lanes.idle();
  }

  #laneOf(
    name: string,
    count: number,
  ): Lane | { readonly putBackMs: number; readonly reason: 'unknown-kind' | 'paused' } {
    const { kinds, log, clock } = this.#tools;
    const kind = kinds.get(name);
    if (kind === undefined) {
      this.#metUnknownAtMs = clock.monotonicMs();
      if (this.#isTimeToAlarm(name)) log.warn({ code: 'timer/unknown-kind', kind: name, count }, UNKNOWN);
      return { putBackMs: UNKNOWN_KIND_MS, reason: 'unknown-kind' };
    }
    if (kinds.isPaused(name)) return { putBackMs: PAUSED_MS, reason: 'paused' };
    return this.#lanes.of(kind);
  }

  /** What is at work here was judged when it was taken. */
  async #judge(name: string, { due, nowMs }: { readonly due: readonly Timer[]; readonly nowMs: number }) {
    const kind = this.#tools.kinds.get(name);
    const isAtWork = ({ id, revision }: Timer): boolean => this.#inWork.get(id)?.timer.revision === revision;
    const fresh = due.filter((timer) => !isAtWork(timer));
    if (!kind || fresh.length === 0) return { firing: due, put: [], remove: [] };
    const judged = await judgeLate(this.#tools, kind, { due: fresh, nowMs });
    return { ...judged, firing: [...due.filter((timer) => !fresh.includes(timer)), ...judged.firing] };
  }

  /** Those that are not at work here already. Another revision is: what is at work on the old one has lost it. */
  #enter(timers: readonly Timer[], settling: Promise<void>[]): readonly TakenTimer[] {
    const nowMs = this.#tools.clock.monotonicMs();
    return timers.flatMap((timer) => {
      const present = this.#inWork.get(timer.id);
      if (present?.timer.revision === timer.revision) {
        settling.push(present.settled);
        return [];
      }
      if (present) this.#lanes.heard([entryOf(timer)]);
      const taken = new TakenTimer(timer, nowMs, this.#leave);
      this.#inWork.set(timer.id, taken);
      settling.push(taken.settled);
      return taken;
    });
  }

  #leave = (taken: TakenTimer): void => {
    if (this.#inWork.get(taken.timer.id) === taken) this.#inWork.delete(taken.timer.id);
  };
}
