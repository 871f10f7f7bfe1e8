import type { Tx } from '../../../server/timer/model/timer-store.ts';
import { runOnGameTables } from './game-tables.ts';
import { type Session, SessionEnded, type SimDatabase } from './sim-database.ts';
import type { SimProcess } from './sim-process.ts';
import { type Wire, WireLost } from './wire.ts';

/** A process and its way to the database. */
export interface Connection {
  readonly process: SimProcess;
  readonly database: SimDatabase;
  readonly wire: Wire;
}

interface Options {
  /** False for handlers. */
  readonly waitsForLocks?: boolean;
  /** A planted fault: what the game writes is committed at once. */
  readonly isGameApart?: boolean;
}

/** A transaction as a process has it: each statement crosses the wire. A lost connection ends it. */
export class SimTx implements Tx {
  readonly waitsForLocks: boolean;
  readonly #on: Connection;
  readonly #session: Session;
  readonly #isGameApart: boolean;
  readonly #forget: () => void;
  #isOver = false;
  #isLost = false;
  #losesAnswer = false;

  constructor(on: Connection, { waitsForLocks = true, isGameApart = false }: Options = {}) {
    this.#on = on;
    this.waitsForLocks = waitsForLocks;
    this.#isGameApart = isGameApart;
    const session = on.database.begin();
    this.#session = session;
    this.#forget = on.process.onDeath(() => session.clientGone());
  }

  /** Sends statements together. Throws `WireLost` and what the statements throw. */
  ask<T>(what: string, work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#isOver) return Promise.reject(new Error('the transaction of this handler is over'));
    return this.#send(what, work);
  }

  /** Sends the commit with the last statements. */
  commit(what: string, last: (session: Session) => Promise<unknown> = async () => undefined): Promise<void> {
    const work = async (session: Session): Promise<void> => {
      await last(session);
      session.commit();
    };
    return this.#send(what, work, this.#losesAnswer).finally(this.#forget);
  }

  /** The answer to its commit will be lost. */
  loseAnswer(): void {
    this.#losesAnswer = true;
  }

  rollBack(): void {
    this.#forget();
    if (!this.#isLost) this.#session.rollBack();
  }

  /** The server ended it because it was idle for too long. */
  get wasIdle(): boolean {
    return this.#session.wasIdle;
  }

  /** Refuses later statements: the handler has ended. */
  end(): void {
    this.#isOver = true;
  }

  /** A handler gets a copy of its transaction: of its own, not of its class. */
  readonly query = async (text: string, values: unknown[] = []): Promise<{ rows: never[]; rowCount: number }> => {
    const { database, wire, process } = this.#on;
    const run = (session: Session): Promise<void> => runOnGameTables({ database, session }, text, values);
    await (this.#isGameApart ? wire.ask(process, text, () => inOneCommit(database, run)) : this.ask(text, run));
    return { rows: [], rowCount: values.length };
  };

  async #send<T>(what: string, work: (session: Session) => Promise<T>, isAnswerLost = false): Promise<T> {
    const { wire, process } = this.#on;
    try {
      const run = (): Promise<T> => this.#session.statements(() => work(this.#session));
      return await wire.ask(process, what, run, isAnswerLost);
    } catch (error) {
      if (error instanceof WireLost || error instanceof SessionEnded) {
        this.#isLost = true;
        this.#session.clientGone();
      }
      throw error;
    }
  }
}

/** Runs `work` in a transaction: commits when it returns, rolls back and rethrows when it throws. */
export const inTransaction = async <T>(on: Connection, work: (tx: SimTx) => Promise<T>): Promise<T> => {
  const tx = new SimTx(on);
  try {
    const result = await work(tx);
    await tx.commit('commit');
    return result;
  } catch (error) {
    tx.rollBack();
    throw error;
  }
};

/** On the server: statements with their own commit. */
export const inOneCommit = <T>(database: SimDatabase, work: (session: Session) => Promise<T>): Promise<T> => {
  const session = database.begin();
  return session.statements(async () => {
    const result = await work(session);
    session.commit();
    return result;
  });
};
