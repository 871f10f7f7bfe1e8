import type { IndexEntry } from '../model/index-entry.ts';
import type { EngineKind } from '../model/timer-kind.ts';
import { Batches, type Share } from './batches.ts';
import { Calls } from './calls.ts';
import { settleOwners } from './derived-runner.ts';
import { FireRunner } from './fire-runner.ts';
import type { FiringTools } from './firing-tools.ts';
import { Lane, type LaneState } from './lane.ts';

/** Timers of a `call` kind are deferred soon, because a call may last long. */
const CALLS_PATIENCE_MS = 1000;
/** A transaction ends within three seconds. */
const BATCHES_PATIENCE_MS = 2000;
const DERIVED_AT_ONCE = 2;

interface Dependencies {
  readonly tools: FiringTools;
  readonly limit: number;
  readonly share: Share;
}

/** The lanes of this process, one a kind. */
export class Lanes {
  readonly #on: Dependencies;
  readonly #lanes = new Map<string, Lane>();
  readonly #calls: Calls[] = [];
  #isStopping = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  get states(): readonly LaneState[] {
    return [...this.#lanes.values()].map(({ state }) => state);
  }

  of(kind: EngineKind): Lane {
    const present = this.#lanes.get(kind.kind);
    if (present) return present;
    const lane = this.#make(kind);
    if (this.#isStopping) lane.stop();
    this.#lanes.set(kind.kind, lane);
    return lane;
  }

  abortStale(entries: readonly Pick<IndexEntry, 'timerId' | 'revision'>[]): void {
    for (const calls of this.#calls) calls.abortStale(entries);
  }

  stop(): void {
    this.#isStopping = true;
    this.#on.share.stop();
    for (const calls of this.#calls) calls.stop();
    for (const lane of this.#lanes.values()) lane.stop();
  }

  abort(): void {
    for (const calls of this.#calls) calls.abort();
  }

  async idle(): Promise<void> {
    const lanes = this.#lanes;
    while ([...lanes.values()].some(({ isIdle }) => !isIdle)) {
      await Promise.all([...lanes.values()].map((lane) => lane.idle()));
    }
  }

  #make(kind: EngineKind): Lane {
    const { tools, limit, share } = this.#on;
    const name = kind.kind;
    if ('derived' in kind) {
      const work = new Batches({
        tools,
        limit,
        atOnce: DERIVED_AT_ONCE,
        run: (timers) => settleOwners(tools, kind, timers),
      });
      return new Lane({ tools, kind: name, work, patienceMs: BATCHES_PATIENCE_MS });
    }
    if ('fire' in kind) {
      const runner = new FireRunner({ tools, kind, abortStale: (entries) => this.abortStale(entries) });
      const work = new Batches({
        tools,
        limit,
        share,
        atOnce: 1,
        run: (timers) => runner.run(timers),
        isAlone: (timerId) => runner.isSuspect(timerId),
      });
      return new Lane({ tools, kind: name, work, patienceMs: BATCHES_PATIENCE_MS });
    }
    const work = new Calls({ tools, kind });
    this.#calls.push(work);
    return new Lane({ tools, kind: name, work, patienceMs: CALLS_PATIENCE_MS });
  }
}
