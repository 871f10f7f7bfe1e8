import type { Pool } from 'pg';
import { AdvisoryLock } from '../adapter/postgres/advisory-lock.ts';
import { query } from '../adapter/postgres/statement.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import type { Exclusive } from '../runtime/exclusive.ts';
import { Loop } from '../runtime/loop.ts';
import type { LiveNodes } from '../timer/dispatch/live-nodes.ts';

/** How long a starting process waits for one that is about to end: longer than a drain takes by default. */
const WAIT_MS = 30_000;
/** A machine that died silently loses the right after this time, even if a proxy keeps its connection open. */
const SILENT_MS = 18_000;
const ASK_EVERY_MS = 250;
const CHECK_EVERY_MS = 1000;
/** A lost session of this process may still have the lock for a moment. */
const REFUSED_FOR_MS = 1000;

/** Two processes without a common index would not know each other's timers. */
export class SecondProcess extends Error {
  readonly code = 'database/in-use';
  readonly retryable = true;

  constructor(isThisOne = false) {
    super(
      isThisOne
        ? 'another Kibble of this process works on this database: use that one, wait for its end, or give both a Redis'
        : 'another process works on this database: give both a Redis (redis, REDIS_URL), or stop the other',
    );
    this.name = 'SecondProcess';
  }
}

interface Dependencies {
  readonly pool: Pool;
  readonly schema: string;
  /** Processes with a common index share the right; a process without one has it alone. */
  readonly isShared: boolean;
  /** The machine's clock: a game's test clock would stand still. */
  readonly clock: Clock;
  readonly log: EngineLog;
}

/** The Kibbles of this process with the right: only so a second Kibble differs from a second process. */
const running = new Set<RightToRun>();
let boots = 0;

interface Holder {
  /** Called when the right is back: other processes may have written meanwhile, so the index must be refilled. */
  readonly onReturn: () => Promise<void>;
  /** Called when another Kibble of this process wants the right: drains, then releases it. */
  readonly handOver: () => Promise<void>;
}

/**
 * The right of a process to run on a database: shared with Redis, exclusive without. A process that loses it asks for
 * it again. While another process has it, it fires and accepts nothing. Between a loss and its notice (18 s at most)
 * two processes may run: each timer still fires once, thanks to its row's revision. In one process, the Kibble with the
 * latest boot takes the right from the others.
 */
export class RightToRun {
  readonly #on: Dependencies;
  readonly #lock: AdvisoryLock;
  readonly #exclusives: AdvisoryLock[] = [];
  #watch: Loop | undefined;
  #state: 'held' | 'lost' | 'refused' | 'over' = 'held';
  #refusedSinceMs: number | undefined;
  #boot = 0;
  #handOver: (() => Promise<void>) | undefined;
  #handingOver: Promise<void> | undefined;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    const { pool, schema, clock, isShared } = dependencies;
    const own = { pool, clock, isShared, name: nameOf(schema), silentMs: SILENT_MS };
    this.#lock = new AdvisoryLock({ ...own, onLost: () => this.#lost() });
  }

  /** False while another process has the right, and after the release. */
  get mayRun(): boolean {
    return this.#state === 'held' || this.#state === 'lost';
  }

  /** Whether another Kibble of this process has the right now. */
  get isHandedOver(): boolean {
    return this.#handingOver !== undefined && this.#state === 'over';
  }

  /** Call it at the begin of a boot: the last caller of this process gets the right. */
  enlist(): void {
    boots += 1;
    this.#boot = boots;
  }

  /**
   * Waits until the right is free, at most 30 s, then throws `SecondProcess`. Throws at once if the right is released
   * meanwhile, or a Kibble of this process with a later boot has it.
   */
  async acquire({ onReturn, handOver }: Holder): Promise<void> {
    const { clock, log } = this.#on;
    const endsAtMs = clock.monotonicMs() + WAIT_MS;
    let isLogged = false;
    this.#handOver = handOver;
    this.#state = 'held';
    while (!(await this.#lock.tryLock())) {
      const own = await this.#holdersHere();
      const isTooLate = own.some((holder) => holder.#boot > this.#boot) || clock.monotonicMs() >= endsAtMs;
      if (!this.mayRun || isTooLate) throw new SecondProcess(own.length > 0);
      const whose = own.length > 0 ? 'another Kibble of this process' : 'another process';
      const message = `${whose} works on this database: the start waits up to ${WAIT_MS / 1000} s for its end`;
      if (!isLogged) log.warn({ code: 'database/in-use' }, message);
      isLogged = true;
      const pause = new Promise<void>((resolve) => clock.after(ASK_EVERY_MS, resolve));
      await Promise.race([pause, ...own.map((holder) => holder.#yield())]);
    }
    running.add(this);
    if (!this.mayRun) {
      await this.release();
      throw new SecondProcess();
    }
    this.#watch = new Loop({ name: 'keep the right to run', clock, log, tick: () => this.#check(onReturn) });
    this.#watch.start();
  }

  /** Also releases the exclusive locks, since a part that hangs may not have released its own. */
  async release(): Promise<void> {
    this.#state = 'over';
    running.delete(this);
    void this.#watch?.stop();
    await Promise.all([this.#lock, ...this.#exclusives].map((lock) => lock.release()));
  }

  /** A lock among the running processes. A process that runs alone needs none. */
  exclusive(name: string): Exclusive {
    const { pool, schema, clock, isShared } = this.#on;
    const mayRun = (): boolean => this.mayRun;
    if (!isShared) return { mayRun, tryLock: async () => this.mayRun, release: async () => undefined };
    const lock = new AdvisoryLock({ pool, name: `${schema}.${name}`, clock });
    this.#exclusives.push(lock);
    const giveUp = async (): Promise<boolean> => {
      await lock.release();
      return false;
    };
    return { mayRun, tryLock: () => (this.mayRun ? lock.tryLock() : giveUp()), release: () => lock.release() };
  }

  /** A process that may not run is no node: the other nodes take its shards. */
  nodes(nodes: LiveNodes): LiveNodes {
    const none = async (): Promise<readonly string[]> => {
      await nodes.leave();
      return [];
    };
    return {
      self: nodes.self,
      heartbeat: () => (this.mayRun ? nodes.heartbeat() : none()),
      list: () => nodes.list(),
      leave: () => nodes.leave(),
    };
  }

  #yield(): Promise<void> {
    if (!this.#handingOver) this.#on.log.warn({ code: 'database/handed-over' }, HANDED_OVER);
    this.#handingOver ??= this.#handOver?.() ?? Promise.resolve();
    return this.#handingOver;
  }

  #lost(): void {
    if (this.#state !== 'held') return;
    this.#state = 'lost';
    this.#on.log.warn({ code: 'database/right-lost' }, LOST);
    this.#watch?.wake();
  }

  async #check(onReturn: () => Promise<void>): Promise<number> {
    if (!(await this.#lock.tryLock())) return this.#refused();
    if (this.#state === 'over') await this.#lock.release();
    if (this.#state === 'held' || this.#state === 'over') return CHECK_EVERY_MS;
    const { isShared, log } = this.#on;
    // Other processes have updated the index in Redis, unless a process without Redis has run.
    if (!isShared || this.#state === 'refused') await onReturn();
    // It was lost or released meanwhile.
    if (this.#lock.backend === undefined) return ASK_EVERY_MS;
    this.#state = 'held';
    this.#refusedSinceMs = undefined;
    log.warn({ code: 'database/right-back' }, 'the right to run on this database is back: this process goes on');
    return CHECK_EVERY_MS;
  }

  #refused(): number {
    const { clock, log } = this.#on;
    this.#refusedSinceMs ??= clock.monotonicMs();
    if (this.#state === 'lost' && clock.monotonicMs() - this.#refusedSinceMs >= REFUSED_FOR_MS) {
      this.#state = 'refused';
      log.error({ code: 'database/in-use' }, REFUSED);
    }
    return ASK_EVERY_MS;
  }

  async #holdersHere(): Promise<readonly RightToRun[]> {
    const sessions = new Set<number | undefined>(await sessionsOnRight(this.#on));
    return [...running].filter((right) => sessions.has(right.#lock.backend));
  }
}

/** Postgres' sessions with the right to run on a schema: one for each process that uses it. */
export const sessionsOnRight = async ({
  pool,
  schema,
}: Pick<Dependencies, 'pool' | 'schema'>): Promise<readonly number[]> => {
  const rows = await query<{ readonly pid: number }>(pool, {
    text: `select pid from pg_locks
      where locktype = 'advisory' and granted and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)`,
    values: [nameOf(schema)],
  });
  return rows.map(({ pid }) => pid);
};

/** The name of release 0.1, so that processes of that release count, too. */
const nameOf = (schema: string): string => `${schema}.single-process`;

const LOST =
  'the right to run on this database was lost with its connection (a restart of Postgres, a network that was silent): asking for it again';
const HANDED_OVER =
  'another Kibble of this process starts on this database: this one finishes what it accepted, and hands over';
const REFUSED =
  'another process works on this database: this one fires nothing and accepts nothing until that one ends; give both a Redis (redis, REDIS_URL), or stop one';
