import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { alwaysExclusive } from '../../../server/runtime/exclusive.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { limits } from '../../../server/settings/config.ts';
import { ClockGuard } from '../../../server/timer/clock/clock-guard.ts';
import { TimerEngine } from '../../../server/timer/timer-engine.ts';
import { newHome } from '../../../shared/home.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';
import { silentLog } from '../../support/log/logs.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

const START_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

/** How a clock lies: by so much, or by running faster. */
interface Lie {
  readonly offMs: number;
  readonly rate: number;
}
const offs = [0, HOUR_MS, -HOUR_MS, 4 * HOUR_MS, -4 * HOUR_MS].map((offMs): Lie => ({ offMs, rate: 1 }));
const lies: readonly Lie[] = [...offs, { offMs: 0, rate: 60 }];
const nameOf = ({ offMs, rate }: Lie): string => (rate === 1 ? `${offMs / HOUR_MS} h off` : `x${rate}`);

/** Seconds of the test in which the database's clock lies. */
const LIES_FROM = 100;
const LIES_UNTIL = 250;
const SECONDS = 400;

/** Fires timers on a node with a wrong clock, from a database with a clock that jumps. Returns each timer's true lateness. */
const play = async (node: Lie, database: Lie): Promise<readonly number[]> => {
  const truth = new ManualClock(START_MS);
  const passedMs = (): number => truth.nowMs() - START_MS;
  const clock = {
    nowMs: () => START_MS + node.offMs + passedMs() * node.rate,
    monotonicMs: () => passedMs() * node.rate,
    cpuMs: () => passedMs() * node.rate,
    after: truth.after,
  };
  let lieBeganMs: number | undefined;
  const databaseMs = (): number => {
    if (lieBeganMs === undefined) return truth.nowMs();
    return truth.nowMs() + database.offMs + (truth.nowMs() - lieBeganMs) * (database.rate - 1);
  };
  const guard = new ClockGuard(clock);
  const store = new FakeTimerStore(() => guard.reading()(databaseMs()));
  const lateMs: number[] = [];
  const note = (timers: readonly { readonly dueAtMs: number }[]): void => {
    for (const { dueAtMs } of timers) lateMs.push(truth.nowMs() - dueAtMs);
  };
  const index = new MemoryDueIndex(clock);
  const engine = new TimerEngine({
    store,
    index,
    clock,
    log: silentLog,
    exclusive: alwaysExclusive,
    retentionMs: HOUR_MS,
  });
  engine.register({
    kind: 'in-tx',
    fire: async (timers) => {
      note(timers);
    },
  });
  engine.register({ kind: 'outside', call: async (timer) => note([timer]) });
  await engine.timers.schedule(
    Array.from({ length: SECONDS }, (_, at) => ({
      kind: at % 2 === 0 ? 'in-tx' : 'outside',
      subject: String(at),
      owner: 'ann',
      dueAtMs: START_MS + at * 1000 + 500,
    })),
  );
  for (let second = 0; second < SECONDS + 10; second += 1) {
    truth.advance(1000);
    if (second === LIES_FROM) lieBeganMs = truth.nowMs();
    if (second === LIES_UNTIL) lieBeganMs = undefined;
    await engine.runDue();
    await engine.sweep();
  }
  return lateMs;
};

describe('With a node and a database whose clocks lie', () => {
  // Two clocks with the same error agree: the process could not know.
  const pairs = lies.flatMap((node) => lies.map((database) => [node, database] as const));
  const told = pairs.filter(([node, database]) => node.rate === 1 || database.rate === 1);

  const scenes = told.map(([node, database]) => ({
    ...{ node, database },
    scene: `node ${nameOf(node)}, database ${nameOf(database)}`,
  }));

  it.each(scenes)(
    'an engine fires each timer at its time, by the truth, and none is lost: $scene',
    async ({ node, database }) => {
      const lateMs = await play(node, database);
      expect(lateMs.length).toBe(SECONDS);
      // A clock that runs too fast gains two seconds before it is noticed.
      expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(database.rate === 1 && node.rate === 1 ? 0 : -2000);
      expect(Math.max(...lateMs)).toBeLessThanOrEqual(3000);
    },
  );
});

describe('A home', () => {
  let database: HomeDatabase;
  beforeAll(async () => {
    database = await homeDatabase(inject('postgresUrl'));
  });
  afterAll(() => database.drop());

  it.each([HOUR_MS, 4 * HOUR_MS, 12 * HOUR_MS])(
    'is not settled by a database whose clock is %s ms ahead, until it is accepted',
    async (jumpMs) => {
      const { pool } = database;
      const truth = new ManualClock(START_MS);
      let offMs = 0;
      const time = new ClockGuard(truth);
      const nowMs = (): number => truth.nowMs() + offMs;
      const clocked = { pool, schema: 'kibble', nowMs, time };
      const store = new PostgresHomeStore({
        database: new Database(clocked),
        modules: petsModules(),
        limits: limits.transaction,
      });
      const service = database.service({ store });
      const playerId = `ann-${jumpMs}`;
      const ask = async (command: object) => (await service.handle([{ playerId, ...command } as never]))[0];
      const state = async () => {
        const [view] = await service.look([playerId]);
        return {
          isEating: petsOf(view?.home ?? newHome(''))[0]?.feeding !== undefined,
          offMs: (view?.nowMs ?? 0) - truth.nowMs(),
        };
      };
      const adopted = await ask({
        command: { type: 'home:adopt', name: 'Rex', species: 'dog' },
        commandId: 'adopt-it',
      });
      const petId = adopted?.ok ? adopted.value.petId : '';
      await ask({ command: { type: 'home:feed', petId, food: 'dog-food' }, commandId: 'feed-it-' });
      expect(await state()).toEqual({ isEating: true, offMs: 0 });

      offMs = jumpMs;
      truth.advance(1000);
      expect(await state()).toEqual({ isEating: true, offMs: 0 });
      expect(await service.now()).toBe(truth.nowMs());
      expect(
        await ask({ command: { type: 'home:feed', petId, food: 'dog-food' }, commandId: 'too-soon' }),
      ).toMatchObject({
        ok: false,
        error: { code: 'pet/eating' },
      });

      time.accept();
      expect(await state()).toEqual({ isEating: jumpMs < 4 * HOUR_MS, offMs: jumpMs });
    },
  );
});
