import { entryOf, type IndexEntry } from '../../model/index-entry.ts';
import type { Timer } from '../../model/timer.ts';
import type { FireKind } from '../../model/timer-kind.ts';
import type { FireWork } from '../../model/timer-store.ts';
import { indexChangesOf } from '../../write/timer-writer.ts';
import type { FiringTools } from '../attempt/firing-tools.ts';
import { firedTimer } from './fired-timer.ts';
import { inTime } from './in-time.ts';
import { handlerTx } from './make-handler-tx.ts';
import { OwnTurns } from './own-turns.ts';

/** One try of one batch. What the handler wrote and noted is kept here, so a try that fails takes it along. */
export class Handling {
  readonly #tools: FiringTools;
  readonly #kind: FireKind;
  readonly #written: Timer[] = [];
  readonly #hooks: (() => void)[] = [];
  #turns = new OwnTurns([], 0);

  constructor(tools: FiringTools, kind: FireKind) {
    this.#tools = tools;
    this.#kind = kind;
  }

  async work(...[tx, { timers: locked, nowMs }]: Parameters<FireWork>): ReturnType<FireWork> {
    const due = locked.filter(({ fireAtMs }) => fireAtMs <= nowMs).sort(inDueOrder);
    if (due.length === 0) return [];
    const { store, kinds, clock } = this.#tools;
    const turns = new OwnTurns(due, nowMs);
    this.#turns = turns;
    const own = handlerTx({
      tx,
      store,
      kinds,
      turns,
      nowMs,
      written: this.#written,
      afterCommit: (run) => this.#hooks.push(run),
    });
    return turns.updates(await inTime(clock.after, this.#kind.fire(due.map(firedTimer), own, nowMs)));
  }

  /** After the commit: tells the index of other timers, runs the hooks. Returns the entries of those that come again. */
  async committed(): Promise<readonly IndexEntry[]> {
    await this.#tools.indexWriter.apply(indexChangesOf(this.#written));
    for (const run of this.#hooks) {
      try {
        run();
      } catch (error) {
        this.#tools.log.error({ err: error, kind: this.#kind.kind }, 'a handler failed after its commit');
      }
    }
    return this.#turns.again.map(entryOf);
  }
}

/** The rows are locked in the order of their ids. */
const inDueOrder = (left: Timer, right: Timer): number =>
  left.dueAtMs - right.dueAtMs || Number(left.id) - Number(right.id);
