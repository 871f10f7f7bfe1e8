import type { IndexEntry } from '../../model/index-entry.ts';
import type { EngineKind } from '../../model/timer-kind.ts';
import type { FiringTools } from '../attempt/firing-tools.ts';
import { Calls } from '../handle/calls.ts';
import { DerivedRunner } from '../handle/derived-runner.ts';
import { FireRunner } from '../handle/fire-runner.ts';
import { Batches } from './batches.ts';
import { Lane, type LaneState } from './lane.ts';
import type { Share } from './share.ts';

/** What is called for is deferred soon: a call may take as long as it likes. */
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
  readonly #dependencies: Dependencies;
  readonly #lanes = new Map<string, Lane>();
  readonly #calls: Calls[] = [];
  #isStopping = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
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

  heard(entries: readonly Pick<IndexEntry, 'timerId' | 'revision'>[]): void {
    for (const calls of this.#calls) calls.heard(entries);
  }

  stop(): void {
    this.#isStopping = true;
    this.#dependencies.share.stop();
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
    const { tools, limit, share } = this.#dependencies;
    if ('derived' in kind) {
      const runner = new DerivedRunner(tools);
      const work = new Batches({ tools, limit, atOnce: DERIVED_AT_ONCE, run: (timers) => runner.run(kind, timers) });
      return new Lane({ tools, kind: kind.kind, work, patienceMs: BATCHES_PATIENCE_MS });
    }
    if ('fire' in kind) {
      const runner = new FireRunner(tools);
      const work = new Batches({
        tools,
        limit,
        share,
        atOnce: 1,
        run: (timers) => runner.run(kind, timers),
        isAlone: (timerId) => runner.isSuspect(timerId),
      });
      return new Lane({ tools, kind: kind.kind, work, patienceMs: BATCHES_PATIENCE_MS });
    }
    const work = new Calls({ tools, kind });
    this.#calls.push(work);
    return new Lane({ tools, kind: kind.kind, work, patienceMs: CALLS_PATIENCE_MS });
  }
}
