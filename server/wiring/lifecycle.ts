import type { Pool } from 'pg';
import { MemoryDueIndex } from '../adapter/memory/memory-due-index.ts';
import type { RedisDueIndex } from '../adapter/redis/index/redis-due-index.ts';
import type { RedisEventChannel } from '../adapter/redis/redis-event-channel.ts';
import type { HomeService } from '../home/home-service.ts';
import type { Consumers } from '../home/log/consumers.ts';
import { drainWithServer } from '../room/around-colyseus/drain-with-server.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import type { Exclusive } from '../runtime/exclusive.ts';
import { Loop } from '../runtime/loop.ts';
import type { ClockWatch } from '../timer/clock/clock-watch.ts';
import type { TimerEngine } from '../timer/timer-engine.ts';
import type { Boot } from './boot.ts';
import type { HomeCare } from './home-care.ts';
import { prepareDatabase } from './prepare-database.ts';
import { type Trouble, troublesOf } from './troubles.ts';

interface Parts {
  readonly pool: Pool;
  readonly schema: string;
  readonly boot: Boot;
  readonly log: EngineLog;
  readonly clock: Clock;
  readonly engine: TimerEngine;
  readonly index: MemoryDueIndex | RedisDueIndex;
  readonly service: HomeService;
  readonly consumers: Consumers;
  readonly homeCare: HomeCare;
  /** Undefined where time is moved by hand. */
  readonly clockWatch: ClockWatch | undefined;
  /** Looks at the event loop while it runs. */
  readonly eventLoop: { start(): void; stop(): void };
  /** Works the operators' jobs off. */
  readonly jobs: { start(): void; stop(): Promise<void> };
  /** Undefined when there are no other processes. */
  readonly channel: RedisEventChannel | undefined;
  /** Connections that locks keep for good, besides that of a process that is alone. */
  readonly held: number;
  /** False for a gateway, which leaves the timers to the workers, and where time is moved by hand. */
  readonly fires: boolean;
}

/** The order in which a process of Kibble starts and stops. */
export class Lifecycle {
  readonly #parts: Parts;
  readonly #watch: Loop;
  readonly #watchClock: Loop | undefined;
  #isReady = false;
  #singleProcess: Exclusive | undefined;
  #stopping: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { service, log, clock, clockWatch } = parts;
    this.#watch = new Loop({ name: 'watch followed players', clock, log, tick: service.watch.tick });
    this.#watchClock = clockWatch && new Loop({ name: 'watch the clock', clock, log, tick: clockWatch.tick });
  }

  /** Migrates, then starts to fire timers. Throws what is wrong with Postgres or Redis; a Redis that is away is awaited. */
  async boot(): Promise<void> {
    const { boot } = this.#parts;
    boot.begin();
    try {
      this.#singleProcess = await prepareDatabase(this.#parts);
    } catch (error) {
      boot.fail();
      throw error;
    }
    boot.ground();
    this.#stopping = undefined;
    drainWithServer(this);
    await this.#start();
    this.#isReady = true;
  }

  async #start(): Promise<void> {
    const { engine, channel, consumers, homeCare, jobs, fires } = this.#parts;
    await this.#parts.clockWatch?.begin();
    this.#watchClock?.start();
    await channel?.start();
    await consumers.register();
    await engine.join();
    if (fires) await engine.start();
    if (fires) consumers.start();
    if (fires) homeCare.start();
    if (fires) jobs.start();
    this.#watch.start();
    this.#parts.eventLoop.start();
  }

  /**
   * Finishes what was accepted, hands nothing off any more, and lets go of everything but the pool. Once, however often it
   * is called: a Colyseus server that has this lifecycle as its `database` calls it by itself.
   */
  shutdown(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { boot, engine, index, service, channel, consumers, homeCare, jobs } = this.#parts;
    this.#isReady = false;
    boot.end();
    await this.#watch.stop();
    this.#parts.eventLoop.stop();
    await jobs.stop();
    await service.drain();
    await consumers.stop();
    await homeCare.stop();
    await engine.stop();
    await this.#watchClock?.stop();
    channel?.stop();
    if (!(index instanceof MemoryDueIndex)) index.stop();
    await this.#singleProcess?.release();
  }

  /** Whether the due index answers and lacks nothing, as far as this process uses it. */
  get isIndexWhole(): boolean {
    const { engine, index, fires } = this.#parts;
    return this.#isReady && (fires ? engine.isIndexWhole : index.isAvailable);
  }

  degraded(): readonly Trouble[] | undefined {
    if (!this.#isReady) return undefined;
    const { index, clockWatch } = this.#parts;
    return troublesOf({
      hasRedis: !(index instanceof MemoryDueIndex),
      isIndexWhole: this.isIndexWhole,
      index,
      isClockHeld: clockWatch?.state().isHeld === true,
    });
  }
}
