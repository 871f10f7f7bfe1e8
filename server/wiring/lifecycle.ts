import { systemClock } from '../adapter/machine/system-clock.ts';
import { checkPool, whyTablesAreHidden } from '../adapter/postgres/schema/check-pool.ts';
import { migrateOn } from '../adapter/postgres/schema/migrate.ts';
import { Loop } from '../runtime/loop.ts';
import { endInOrder, type ShutdownPart } from './end-in-order.ts';
import type { WiredTimers } from './wire-timers.ts';

/** A part that needs the timers: starts after them, and stops before them. */
export interface Tenant {
  /** The tables exist, and nothing fires yet. */
  open(lifecycle: { shutdown(): Promise<void> }): Promise<void>;
  start(): void;
  /** When they have ended, all accepted work is finished. */
  readonly endings: readonly ShutdownPart[];
  /** Nothing fires any more. */
  close(): void;
}

interface Options {
  /** Connections that locks use for good, besides the one of the right to run. */
  readonly heldConnections: number;
  readonly tenant?: Tenant;
  /** False if a test moves the time. */
  readonly watchesClock: boolean;
}

/** The time after `drainMs`, for aborted work and for closing connections. */
const AFTER_DRAIN_MS = 3000;
const RELEASE_MS = 2000;

/** The order in which a process starts and stops. */
export class Lifecycle {
  readonly #timers: WiredTimers;
  readonly #on: Options;
  readonly #watchClock: Loop;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(timers: WiredTimers, options: Options) {
    this.#timers = timers;
    this.#on = options;
    const { host, clockWatch } = timers;
    this.#watchClock = new Loop({ ...host, name: 'watch the clock', tick: clockWatch.tick });
  }

  /**
   * Migrates, then starts to fire timers. Replaces another Kibble of this process on this database, unless both have a
   * Redis. If Postgres or Redis is unfit, it throws and nothing runs; a Redis that is away is awaited.
   */
  async boot(): Promise<void> {
    const { boot } = this.#timers.health;
    boot.begin();
    this.#starting = this.#start();
    try {
      await this.#starting;
    } catch (error) {
      if (boot.isGrounded) await this.shutdown();
      else boot.fail();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { engine, eventLoop, clockWatch, databaseWatch, health } = this.#timers;
    const { tenant, watchesClock, heldConnections } = this.#on;
    await prepareDatabase(this.#timers, { held: heldConnections, handOver: () => this.shutdown() });
    health.boot.ground();
    if (watchesClock) {
      await clockWatch.begin();
      this.#watchClock.start();
      databaseWatch.start();
    }
    await tenant?.open(this);
    await engine.join();
    if (health.fires) await engine.start();
    tenant?.start();
    eventLoop.start();
    health.boot.ready();
  }

  /**
   * Finishes accepted work, hands nothing off any more, and releases everything but the pool, within `drainMs` and 5 s
   * even if parts hang. Runs once, however often it is called: the Colyseus server of this process calls it by itself.
   */
  shutdown(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { host, engine, eventLoop, databaseWatch, health, due, right } = this.#timers;
    const { tenant } = this.#on;
    const { isGrounded } = health.boot;
    health.boot.end();
    eventLoop.stop();
    databaseWatch.stop();
    // The machine's clock: with a game's test clock, waits would never end.
    const on = { clock: systemClock, log: host.log };
    const work: ShutdownPart[] = [
      // A boot that still waits for the right ends here.
      ['start', () => (isGrounded ? undefined : right.release())],
      ['start', () => this.#starting?.catch(() => undefined)],
      ...(tenant?.endings ?? []),
      ['timers', () => engine.stop()],
      ['watch of the clock', () => this.#watchClock.stop()],
    ];
    await endInOrder(work, { ...on, boundMs: engine.drainMs + AFTER_DRAIN_MS });
    const connections: ShutdownPart[] = [
      ['pushes', () => tenant?.close()],
      ['index', () => due.stop()],
      ['right to run', () => right.release()],
    ];
    await endInOrder(connections, { ...on, boundMs: RELEASE_MS });
  }
}

/**
 * The first part of a start: the right to run, the tables, the index. Throws if Postgres or Redis is unfit; a Redis
 * that is away is awaited. `held`: connections that locks use for good, besides the one of the right.
 */
const prepareDatabase = async (
  { host, engine, due, right }: WiredTimers,
  { held, handOver }: { readonly held: number; readonly handOver: () => Promise<void> },
): Promise<void> => {
  const { database, log } = host;
  const { pool, schema } = database;
  right.enlist();
  await checkPool({ pool, held: held + 1 });
  // First the right to run: without it a second process must not even migrate.
  await right.acquire({ onReturn: () => engine.indexOperations.rebuild(), handOver });
  try {
    await migrateOn({ pool, schema, log });
    const hidden = await whyTablesAreHidden(database);
    if (hidden) log.warn({ code: 'database/search-path' }, hidden);
    await due.start();
  } catch (error) {
    await right.release();
    throw error;
  }
};
