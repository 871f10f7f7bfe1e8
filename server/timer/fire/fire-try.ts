import { callGame, handleRejections } from '../../../shared/game-code.ts';
import { readOptions } from '../../../shared/options/read-options.ts';
import { callable, fields } from '../../../shared/options/shapes.ts';
import type { Clock } from '../../runtime/clock.ts';
import { entryOf, type IndexEntry, indexChangesOf } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import { HandlerStuck, TransactionRefused } from '../model/timer-errors.ts';
import { callsEnded, type FireKind } from '../model/timer-kind.ts';
import type { FireWork } from '../model/timer-store.ts';
import type { FiringTools } from './firing-tools.ts';
import { firedTimer, handlerOf, storableResult } from './handler-io.ts';
import { handlerTx } from './handler-tx.ts';
import { OwnTurns } from './own-turns.ts';

/** A little longer than Postgres allows a statement to run or a transaction to be idle. */
const MOST_MS = 5000;

export const afterCommitArguments = fields({ run: callable });

/** Reads the argument of `afterCommit`. Throws `OptionsRefused` (`options/invalid`). */
export const hookOf = (run: () => unknown): (() => unknown) =>
  readOptions(afterCommitArguments, { run }, 'afterCommit').run;

/** One try of one batch. It contains all that the handler wrote and noted, so a failed try leaves no trace. */
export class FireTry {
  readonly #tools: FiringTools;
  readonly #kind: FireKind;
  readonly #written: Timer[] = [];
  readonly #hooks: (() => unknown)[] = [];
  /** Errors of the handler's calls in its transaction. A handler that awaits such a call fails too, or goes on knowingly. */
  readonly #refused = new Set<unknown>();
  #hasReturned = false;
  #isCommitted = false;
  /** Undefined: no timer was due by the time under the lock. */
  #turns: OwnTurns | undefined;

  constructor(tools: FiringTools, kind: FireKind) {
    this.#tools = tools;
    this.#kind = kind;
  }

  /** In the transaction, with the timers locked: calls the handler, and returns the updates of the rows. */
  fire: FireWork = async (tx, { timers, nowMs }) => {
    const due = timers.filter(({ fireAtMs }) => fireAtMs <= nowMs).sort(inDueOrder);
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
      afterCommit: (run) => this.#addHook(run),
      onRefused: (error) => (this.#isCommitted ? this.#warn(error) : void this.#refused.add(error)),
    });
    const handled = this.#call(async () => resultsOf(await this.#kind.fire(due.map(firedTimer), own, nowMs), due));
    const ended = inTime(
      clock.after,
      handled.finally(() => callsEnded(own)),
    ).finally(() => {
      this.#hasReturned = true;
    });
    return turns.updates(await ended);
  };

  #addHook(run: () => unknown): void {
    const hook = hookOf(run);
    if (this.#hasReturned) {
      throw new TransactionRefused('transaction/over', 'the handler has returned: call afterCommit before that');
    }
    this.#hooks.push(hook);
  }

  /** The timers that the handler wrote, beside its own. */
  get changed(): readonly IndexEntry[] {
    return this.#written.map(entryOf);
  }

  /** After the commit: publishes the other timers and runs the hooks. Returns the entries of timers that come again. */
  async committed(): Promise<readonly IndexEntry[]> {
    await this.#tools.indexWriter.apply(indexChangesOf(this.#written));
    if (this.#hooks.length > 0) await this.#runHooks();
    this.#isCommitted = true;
    for (const error of this.#refused) this.#warn(error);
    return this.#turns?.again.map(entryOf) ?? [];
  }

  #warn(err: unknown): void {
    this.#tools.log.warn({ err, kind: this.#kind.kind }, 'a call in its transaction failed in a handler that went on');
  }

  /** The hooks start in order, and share the time of one handler. */
  async #runHooks(): Promise<void> {
    const failed = (error: unknown): void =>
      this.#tools.log.error({ err: error, kind: this.#kind.kind }, 'a handler failed after its commit');
    const ends = this.#hooks.map((run) => this.#call(run).catch(failed));
    await inTime(this.#tools.clock.after, Promise.all(ends)).catch(failed);
  }

  #call<T>(work: () => T): Promise<Awaited<T>> {
    return callGame(handlerOf(this.#kind), work);
  }
}

/** Throws `HandlerStuck` when it takes too long. */
const inTime = <T>(after: Clock['after'], work: Promise<T>): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const cancel = after(MOST_MS, () => reject(new HandlerStuck(`the handler did not come back within ${MOST_MS} ms`)));
    work.then(resolve, reject).finally(cancel);
  });

/** Reads a handler's return value once, as results by timer. Throws if it is no map. */
const resultsOf = (
  returned: ReadonlyMap<string, unknown> | undefined | null,
  due: readonly Timer[],
): ReadonlyMap<string, unknown> | undefined => {
  if (returned === undefined || returned === null) return undefined;
  if (typeof returned.get !== 'function') {
    handleRejections(returned);
    throw new TypeError('it returns a Map of results by timer id, or undefined');
  }
  return new Map(due.map(({ id }) => [id, storableResult(returned.get(id))]));
};

/** The rows are locked in the order of their ids. */
const inDueOrder = (left: Timer, right: Timer): number =>
  left.dueAtMs - right.dueAtMs || Number(left.id) - Number(right.id);
