import type { CommandRecord } from '../../../server/home/model/home-store.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import type { Home } from '../../../shared/home.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';
import { TimerRows } from '../../support/fake-database/timer-rows.ts';
import type { GameRow } from './game-tables.ts';
import type { Kernel } from './kernel.ts';
import { SimGenerations } from './sim-generations.ts';

/** The session was ended: a time-out, a restart, or its client is gone. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

/** The statement failed and the transaction is rolled back: a lock that was not had in time, a key that exists. */
export class StatementFailed extends Error {
  override readonly name: string = 'StatementFailed';
}

/** A lock was not had in time. */
export class LockMissed extends StatementFailed {
  override readonly name = 'LockMissed';
}

/** One player's rows; a committed one is never changed, only replaced. */
export interface HomeRows {
  readonly home: Home;
  readonly events: readonly HomeEvent[];
  /** By the command's id: where its answer begins. */
  readonly commands: ReadonlyMap<string, CommandRecord & { readonly fromSeq: number }>;
  /** When the transaction of each event committed, by the database's clock. */
  readonly committedAtMs: readonly number[];
}

const LOCK_MS = 1000;
const IDLE_MS = 2000;
/** Until the server notices that a client is gone. */
const NOTICE_MS = 10;

/** The truth: rows, row locks, transactions that see what is committed when their statement begins. */
export class SimDatabase {
  readonly homes = new Map<string, HomeRows>();
  readonly timers = new TimerRows();
  readonly generations = new SimGenerations();
  /** The game's own tables, in the order of the commits. */
  readonly game: GameRow[] = [];
  /** The same rows, without locks and without a way to them. */
  readonly store: FakeTimerStore;
  readonly kernel: Kernel;
  /** Of the rules in force; 0: those that processes begin with. */
  rulesNumber = 0;
  /** What the rules with the numbers 1, 2 and so on say of the field, and since when. */
  readonly growths: { readonly growMs: number; readonly atMs: number }[] = [];
  readonly #locks = new Map<string, Lock>();
  readonly #sessions = new Set<Session>();
  /** The process that has the right to sweep, by its name. */
  readonly #rights = new Map<string, string>();

  /** How long two statements that are sent together are apart, at most. */
  readonly statementMs: number;

  constructor(kernel: Kernel, statementMs = 0.5) {
    this.kernel = kernel;
    this.store = new FakeTimerStore(() => this.nowMs(), this.timers);
    this.statementMs = statementMs;
  }

  /** Whole milliseconds, as Postgres' clock is read. */
  nowMs(): number {
    return Math.floor(this.kernel.nowMs);
  }

  /** In force for each statement from now on. */
  changeRules(growMs: number): void {
    this.rulesNumber = this.growths.push({ growMs, atMs: this.nowMs() });
  }

  begin(): Session {
    const session = new Session(this);
    this.#sessions.add(session);
    return session;
  }

  forget(session: Session): void {
    this.#sessions.delete(session);
  }

  /** As at a restart: everything open is rolled back. */
  endAll(): void {
    for (const session of [...this.#sessions]) session.rollBack();
    this.#rights.clear();
  }

  lockOf(key: string): Lock {
    const lock = this.#locks.get(key) ?? new Lock();
    this.#locks.set(key, lock);
    return lock;
  }

  hasRight(right: string, name: string): boolean {
    return this.#rights.get(right) === name;
  }

  tryRight(right: string, name: string): boolean {
    const holder = this.#rights.get(right);
    if (holder !== undefined && holder !== name) return false;
    this.#rights.set(right, name);
    return true;
  }

  releaseRights(name: string): void {
    for (const [right, holder] of this.#rights) if (holder === name) this.#rights.delete(right);
  }
}

interface Waiter {
  readonly session: Session;
  readonly grant: () => void;
  readonly refuse: (error: Error) => void;
}

/** A row lock: one holder, the others in the order in which they came. */
class Lock {
  holder: Session | undefined;
  readonly waiting = new Set<Waiter>();

  passOn(): void {
    const [next] = this.waiting;
    if (next) this.waiting.delete(next);
    this.holder = next?.session;
    next?.grant();
  }
}

/** One connection with its transaction. Its statements run one after the other; it dies of waiting too long. */
export class Session {
  /** The timers as this transaction sees them: what is committed, and what it has changed. */
  readonly timers: TimerRows;
  readonly #database: SimDatabase;
  readonly #held = new Set<Lock>();
  readonly #writes: (() => void)[] = [];
  #isOpen = true;
  #wasIdle = false;
  #isBusy = false;
  #waits: Waiter | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor(database: SimDatabase) {
    this.#database = database;
    this.timers = database.timers.fork();
    this.#beginIdle();
  }

  /** Runs statements that were sent together. Throws `SessionEnded` when there is no transaction any more. */
  async statements<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) throw new SessionEnded('the connection was ended');
    this.#cancelIdle?.();
    this.#isBusy = true;
    try {
      return await work();
    } catch (error) {
      this.rollBack();
      throw error;
    } finally {
      this.#isBusy = false;
      if (this.#isOpen) this.#beginIdle();
    }
  }

  /** Time passes until the next statement. */
  async next(): Promise<void> {
    const { kernel, statementMs } = this.#database;
    await kernel.pause(kernel.random.next() * statementMs);
    if (!this.#isOpen) throw new SessionEnded('the connection was ended');
  }

  /** False when another process has it. */
  tryLock(key: string): boolean {
    const lock = this.#database.lockOf(key);
    if (lock.holder !== undefined && lock.holder !== this) return false;
    lock.holder = this;
    this.#held.add(lock);
    return true;
  }

  /** Throws `StatementFailed` when it takes too long. */
  async lock(key: string): Promise<void> {
    if (this.tryLock(key)) return;
    const lock = this.#database.lockOf(key);
    await new Promise<void>((resolve, reject) => {
      const cancel = this.#database.kernel.after(LOCK_MS, () => waiter.refuse(new LockMissed('lock timeout')));
      const waiter: Waiter = {
        session: this,
        grant: () => {
          cancel();
          this.#waits = undefined;
          this.#held.add(lock);
          resolve();
        },
        refuse: (error) => {
          cancel();
          this.#waits = undefined;
          lock.waiting.delete(waiter);
          reject(error);
        },
      };
      this.#waits = waiter;
      lock.waiting.add(waiter);
    });
  }

  /** What a commit will do, invisible before. */
  write(apply: () => void): void {
    this.#writes.push(apply);
  }

  commit(): void {
    if (!this.#isOpen) throw new SessionEnded('the connection was ended');
    for (const apply of this.#writes) apply();
    this.timers.commit();
    this.rollBack();
  }

  /** Lets go of everything. */
  rollBack(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#cancelIdle?.();
    this.#writes.length = 0;
    this.#database.forget(this);
    this.#waits?.refuse(new SessionEnded('the connection was ended'));
    for (const lock of this.#held) lock.passOn();
    this.#held.clear();
  }

  /** The client is gone, which the server notices a little later; what is being executed by then ends first. */
  clientGone(): void {
    const { kernel } = this.#database;
    kernel.after(kernel.random.next() * NOTICE_MS, () => {
      if (!this.#isBusy) this.rollBack();
    });
  }

  /** The server ended it because it was idle for too long. */
  get wasIdle(): boolean {
    return this.#wasIdle;
  }

  #beginIdle(): void {
    this.#cancelIdle = this.#database.kernel.after(IDLE_MS, () => {
      this.#wasIdle = true;
      this.rollBack();
    });
  }
}
