import type { PoolClient, QueryResult } from 'pg';
import { handleRejection, textOf } from '../../../shared/game-code.ts';
import { HandlerStuck, TransactionRefused } from '../../timer/model/timer-errors.ts';
import { callsEnded, receiveRefusals } from '../../timer/model/timer-kind.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { systemClock } from '../machine/system-clock.ts';
import { type QueryArguments, send } from './send.ts';
import { execute, isOfPg, isPipelining } from './statement.ts';
import { markOurs } from './world-fault.ts';

/** A little longer than Postgres allows a statement to run or a transaction to be idle. */
const MOST_MS = 5000;
const LEADING = /^(?:\s+|;|--[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)+/;
/** Statements that begin or end a transaction. Those of savepoints do not. */
const ENDING =
  /^(?:begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;

interface Terms {
  /** `handler`: it waits for no locks, and an idle transaction is its fault. `caller`: the work ends with its session. */
  readonly of?: 'hook' | 'handler' | 'caller';
}

/**
 * Lends a transaction's connection to code of the game: returns what `work` returns, once its statements have ended,
 * also those that it does not await. Throws `TransactionRefused` if one of them failed and `work` went on, or if the
 * transaction has ended; `HandlerStuck` if a hook does not return in time. Afterwards the lent connection refuses
 * statements, because it may be in another transaction.
 */
export const lend = async <T>(client: Tx, work: (tx: Tx) => T, { of = 'hook' }: Terms = {}): Promise<Awaited<T>> => {
  const lent = new Lent(client);
  const { promise: never, reject } = Promise.withResolvers<never>();
  let lost: unknown;
  const note = (error: unknown): void => {
    lost ??= markOurs(error);
    if (of === 'caller') reject(lost);
  };
  const late = (): void => reject(new HandlerStuck(`it did not return within ${MOST_MS} ms`));
  // A handler has such a bound until it returns.
  let cancel = of === 'hook' ? systemClock.after(MOST_MS, late) : undefined;
  const events = client as Partial<Pick<PoolClient, 'on' | 'off'>>;
  events.on?.('error', note);
  const whole = async () => {
    const tx = lent.tx(of === 'handler' ? false : client.waitsForLocks);
    const result = await (of === 'hook' ? withItsCalls(tx, work) : work(tx));
    // Its bound ended with it, and its statements may have no end.
    if (of === 'handler') cancel = systemClock.after(MOST_MS, late);
    await lent.settled();
    // A process that stood still for long is no fault of the hook.
    if (lost !== undefined) throw lost;
    return result;
  };
  try {
    return await Promise.race([whole(), never]);
  } catch (error) {
    throw of === 'handler' && isIdled(lost) ? stuckIfIdled(lost) : error;
  } finally {
    lent.isOver = true;
    cancel?.();
    events.off?.('error', note);
  }
};

/** Also waits for calls of ours that a hook does not await: half of one must not be committed, and its error ends no process. */
const withItsCalls = async <T>(tx: Tx, work: (tx: Tx) => T): Promise<Awaited<T>> => {
  receiveRefusals(tx, () => undefined);
  try {
    return await work(tx);
  } finally {
    await callsEnded(tx);
  }
};

let savepoints = 0;

/**
 * For rows that code of the game writes before a fault: the caller of a transaction may catch that fault, and commit. A
 * transaction with a failed statement stays failed, so that a handler is tried again.
 */
export const wholeOrNothing = async <Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> => {
  savepoints += 1;
  const name = `kibble_change_${savepoints}`;
  const send = (text: string) => execute(tx, { text });
  await send(`savepoint ${name}`);
  try {
    const result = await work();
    await send(`release savepoint ${name}`);
    return result;
  } catch (error) {
    const goBack = async (): Promise<true> => {
      for (const text of ['select 1', `rollback to savepoint ${name}`, `release savepoint ${name}`]) await send(text);
      return true;
    };
    const late = Promise.withResolvers<false>();
    const cancel = systemClock.after(MOST_MS, () => late.resolve(false));
    const isBack = await Promise.race([goBack().catch(() => false), late.promise]);
    cancel();
    // There is no such savepoint: an open transaction fails. A statement of the game may still run before it.
    if (!isBack) send('rollback to savepoint kibble_failed').catch(() => undefined);
    throw error;
  }
};

/** The lent connection of one work. */
class Lent {
  isOver = false;
  readonly #client: Tx & { getTransactionStatus?(): string | null };
  readonly #wasOpen: boolean;
  readonly #running = new Set<Promise<unknown>>();
  /** Two statements were sent at once, so the work does not await all of them. */
  #hasOverlapped = false;
  #failed: unknown;

  constructor(client: Tx) {
    this.#client = client;
    this.#wasOpen = this.#status === 'T';
  }

  /** By the last response: `T`, or `I` without a transaction; only a client of `pg` says it. */
  get #status(): string | null | undefined {
    return this.#client.getTransactionStatus?.();
  }

  /** The connection as the work gets it. */
  tx(waits = 'connectionParameters' in this.#client ? true : undefined): Tx {
    const tx = { query: this.#query as Tx['query'], pipeline: isPipelining(this.#client) };
    return waits === undefined ? tx : { ...tx, waitsForLocks: waits };
  }

  #query = (...sent: unknown[]): unknown => {
    // A cursor is returned unchanged.
    if (!this.isOver && isSubmittable(sent[0])) return Reflect.apply(this.#client.query, this.#client, sent);
    const done = typeof sent.at(-1) === 'function' ? (sent.pop() as Done) : undefined;
    const result = this.#run(...(sent as unknown as QueryArguments));
    // If the work does not await it, its failure must fail the transaction, not the process.
    handleRejection(done ? result.then((value) => done(null, value), done) : result);
    return done ? undefined : result;
  };

  /** Resolves when all statements have ended. Throws if the transaction is not as it was lent. */
  async settled(): Promise<void> {
    while (this.#running.size > 0 || this.#hasOverlapped) {
      this.#hasOverlapped = false;
      await Promise.allSettled(this.#running);
      // A call of ours that the work does not await sends its next statement some microtasks later. Half of the call
      // must not be committed.
      await new Promise<void>((resolve) => void systemClock.after(0, resolve));
    }
    this.isOver = true;
    if (this.#failed instanceof TransactionRefused) throw this.#failed;
    if (this.#failed !== undefined && !(await this.#isUsable())) {
      throw new TransactionRefused(
        'transaction/failed',
        `a statement failed and its error was not passed on (${textOf(this.#failed)}): await it and let it throw, or use a savepoint`,
      );
    }
    if (this.#status === 'I' && this.#wasOpen) throw ended();
  }

  /** Postgres refuses everything after a failed statement, unless the work went back to a savepoint. */
  #isUsable(): Promise<boolean> {
    return this.#send('select 1').then(
      () => true,
      () => false,
    );
  }

  /** A host's replacement gets values, also none: it would take the next argument for them. */
  #send(...[statement, values]: QueryArguments): Promise<QueryResult> {
    const sent = values ?? (isOfPg(this.#client) || typeof statement !== 'string' ? undefined : []);
    return sent ? send(this.#client, statement, sent) : send(this.#client, statement);
  }

  async #run(...query: QueryArguments): Promise<QueryResult> {
    if (this.isOver)
      throw new TransactionRefused(
        'transaction/over',
        'the transaction is over: await each call before the work returns',
      );
    const result = endsTransaction(query[0]) ? Promise.reject(ended()) : this.#send(...query);
    if (this.#running.size > 0) this.#hasOverlapped = true;
    this.#running.add(result);
    try {
      return await result;
    } catch (error) {
      this.#failed ??= error;
      throw error;
    } finally {
      this.#running.delete(result);
    }
  }
}

type Done = (error: unknown, result?: QueryResult) => unknown;

const endsTransaction = (statement: QueryArguments[0]): boolean => {
  const text = typeof statement === 'string' ? statement : statement?.text;
  return typeof text === 'string' && ENDING.test(text.replace(LEADING, ''));
};

const ended = (): TransactionRefused =>
  new TransactionRefused(
    'transaction/ended',
    'the work began, committed or rolled back a transaction: this one ends after the work; use savepoints inside',
  );

const isSubmittable = (statement: unknown): boolean =>
  typeof statement === 'object' && statement !== null && 'submit' in statement;

const isIdled = (error: unknown): boolean => (error as { readonly code?: unknown } | undefined)?.code === '25P03';

/** A handler's fault instead of the error of a session that Postgres ended because its transaction was idle. */
export const stuckIfIdled = (error: unknown): unknown =>
  isIdled(error) ? new HandlerStuck('the handler let its transaction idle for longer than Postgres waits') : error;
