import { afterEach, describe, expect, inject, it } from 'vitest';
import { type Contender, contenders } from '../../bench/strategies/systems/contenders.ts';
import { kibbleEngine } from '../../bench/strategies/systems/kibble-engine.ts';
import { cycleOf } from '../../bench/strategies/systems/ring.ts';
import type { Item, Move, Strategy } from '../../bench/strategies/systems/strategy.ts';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import type { Clock } from '../../server/runtime/clock.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';

const HOUR_MS = 3_600_000;
/** Just before an hour begins: rings come to their end, and wheels fall, in the first seconds. */
const START_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 59 * 60_000 + 58_123;

/** A strategy on empty stores, and what it handed off. */
class Scene {
  readonly fires: { readonly id: number; readonly atMs: number }[] = [];
  readonly #wanted = new Map<number, number>();
  readonly #clock: Clock;
  readonly #strategy: Strategy;
  #heard = Promise.withResolvers<void>();

  private constructor(clock: Clock, strategy: Strategy) {
    this.#clock = clock;
    this.#strategy = strategy;
  }

  static async open(open: Contender['open'], clock: Clock, urls: { redisUrl: string; postgresUrl: string }) {
    let scene: Scene | undefined;
    const strategy = await open({ ...urls, clock, hand: (ids) => scene?.hear(ids) });
    scene = new Scene(clock, strategy);
    return scene;
  }

  hear(ids: readonly number[]): void {
    for (const id of ids) this.fires.push({ id, atMs: this.#clock.nowMs() });
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  }

  async schedule(items: readonly Item[]): Promise<void> {
    for (const { id, dueAtMs } of items) this.#wanted.set(id, dueAtMs);
    await this.#strategy.schedule(items);
  }

  async move(moves: readonly Move[]): Promise<boolean> {
    if (this.#strategy.move === undefined) return false;
    for (const { id, dueAtMs } of moves) this.#wanted.set(id, dueAtMs);
    await this.#strategy.move(moves);
    return true;
  }

  /** One turn of every loop, and until the worker has what was handed off; answers the shortest sleep. */
  async turn(): Promise<number> {
    const sleeps = [];
    for (const loop of this.#strategy.loops) sleeps.push(await loop());
    const waiting = await this.#strategy.waiting?.();
    if (waiting !== undefined) await this.waitFor(this.#wanted.size - waiting);
    return Math.min(...sleeps);
  }

  async waitFor(fires: number): Promise<void> {
    while (this.fires.length < fires) await this.#heard.promise;
  }

  close(): Promise<void> {
    return this.#strategy.close();
  }

  get firedIds(): readonly number[] {
    return this.fires.map(({ id }) => id).sort((left, right) => left - right);
  }

  get scheduledIds(): readonly number[] {
    return [...this.#wanted.keys()].sort((left, right) => left - right);
  }

  get latenesses(): readonly number[] {
    return this.fires.map(({ id, atMs }) => atMs - (this.#wanted.get(id) ?? Number.NaN));
  }
}

describe.skipIf(inject('redisUrl') === '')('with a Redis server', () => {
  const opened: { scene: Scene; redis: RedisServer; database: TestDatabase }[] = [];
  const openScene = async (open: Contender['open'], clock: Clock): Promise<Scene> => {
    const redis = await startRedis();
    const database = await createDatabase(inject('postgresUrl'));
    const scene = await Scene.open(open, clock, { redisUrl: redis.url, postgresUrl: database.url });
    opened.push({ scene, redis, database });
    return scene;
  };
  afterEach(async () => {
    for (const { scene, redis, database } of opened.splice(0)) {
      await scene.close();
      await redis.stop();
      await database.drop();
    }
  });

  // The whole engine goes by Postgres' clock, which no test can crank.
  const cranked = contenders.filter(({ open }) => open !== kibbleEngine);

  describe.each(cranked)('$name', ({ open, periodMs, isOurs }) => {
    const openAt = async () => {
      const clock = new ManualClock(START_MS);
      return { clock, scene: await openScene(open, clock) };
    };

    it('fires each timer once, and none early, over turns of every ring and falls of every wheel', async () => {
      const { clock, scene } = await openAt();
      const delaysMs = [
        0,
        1,
        876,
        877,
        878,
        59_999,
        60_000,
        780_000,
        3_599_000,
        HOUR_MS,
        3_600_878,
        7_219_000,
        7_300_000,
      ];
      const items = delaysMs.flatMap((delayMs, at) =>
        [0, 1, 2].map((more) => ({ id: 3 * at + more, dueAtMs: START_MS + delayMs })),
      );
      await scene.schedule(items);
      for (const delayMs of delaysMs) {
        for (const atMs of [delayMs - 1, delayMs, delayMs + 1_000]) {
          clock.advanceTo(START_MS + Math.max(0, atMs));
          await scene.turn();
        }
      }
      await scene.turn();

      expect(scene.firedIds).toEqual(scene.scheduledIds);
      expect(Math.min(...scene.latenesses)).toBeGreaterThanOrEqual(0);
    });

    it('is late by its period at most, and a second more where it knows no less', async () => {
      const { clock, scene } = await openAt();
      await scene.schedule(Array.from({ length: 100 }, (_, id) => ({ id, dueAtMs: START_MS + 1 + id * 37 })));
      const endMs = START_MS + 4_000 + periodMs;
      while (clock.nowMs() < endMs) clock.advance(Math.max(1, Math.min(await scene.turn(), endMs - clock.nowMs())));
      await scene.turn();

      expect(scene.firedIds).toEqual(scene.scheduledIds);
      expect(Math.min(...scene.latenesses)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...scene.latenesses)).toBeLessThanOrEqual(periodMs === 0 ? 1 : periodMs + 999);
    });

    it('fires a timer that was moved at its new time alone; where it can move none, at its old one', async () => {
      const { clock, scene } = await openAt();
      const dueAtMs = START_MS + 10_000;
      await scene.schedule([1, 2, 3].map((id) => ({ id, dueAtMs })));
      const [later, sooner] = [START_MS + 2 * HOUR_MS, START_MS + 5_000];
      const canMove = await scene.move([
        { id: 1, fromDueAtMs: dueAtMs, dueAtMs: later },
        { id: 2, fromDueAtMs: dueAtMs, dueAtMs: sooner },
      ]);
      for (const atMs of [sooner - 1, sooner + 1_000, dueAtMs + 2_000, later - 1, later + 1_000]) {
        clock.advanceTo(atMs);
        await scene.turn();
      }

      expect(canMove || !isOurs).toBe(true);
      expect(scene.fires.map(({ id }) => id)).toEqual(canMove ? [2, 3, 1] : [1, 2, 3]);
      expect(Math.min(...scene.latenesses)).toBeGreaterThanOrEqual(0);
    });
  });

  it('the whole engine fires each timer once, and none early', async () => {
    const scene = await openScene(kibbleEngine, systemClock);
    const nowMs = Date.now();
    const far = { id: 50, dueAtMs: nowMs + HOUR_MS };
    await scene.schedule([
      ...Array.from({ length: 49 }, (_, at) => ({ id: at + 1, dueAtMs: nowMs + 300 + at * 4 })),
      far,
    ]);
    await scene.move([{ id: far.id, fromDueAtMs: far.dueAtMs, dueAtMs: nowMs + 600 }]);
    await scene.waitFor(50);

    expect(scene.firedIds).toEqual(scene.scheduledIds);
    expect(Math.min(...scene.latenesses)).toBeGreaterThanOrEqual(0);
  });
});

describe('the cycle number of a ring', () => {
  it('is that of the worked examples', () => {
    expect(cycleOf(7_220, 1)).toBe(2);
    expect(cycleOf(3_611, 1)).toBe(1);
  });

  it('is 0 for a timer due in two seconds, also where its slot lies behind the cursor', () => {
    // By (cursor + delay) / slots it would be 1.
    expect(cycleOf(3_601, 3_599)).toBe(0);
  });
});
