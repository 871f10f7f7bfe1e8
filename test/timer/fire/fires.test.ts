import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { alwaysExclusive } from '../../../server/runtime/exclusive.ts';
import type { FireKind } from '../../../server/timer/model/timer-kind.ts';
import type { Tx } from '../../../server/timer/model/timer-store.ts';
import { TimerEngine } from '../../../server/timer/timer-engine.ts';
import { spread } from '../../support/engine/lane-scene.ts';
import { type EngineUnderTest, makeEngine, NOW_MS, recordEffects } from '../../support/engine/timer-engine.ts';
import { silentLog } from '../../support/log/logs.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';

const disposals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

/** Holds its connection until Postgres ends the statement. */
const hang = (_timers: unknown, tx: Tx): Promise<undefined> => tx.query('select pg_sleep(60)').then(() => undefined);

const isTooLate = (lateMs: number): boolean => lateMs >= 1000;

/** An engine on a small pool, with kinds that hang in Postgres; answers how late each of the others fired. */
const besides = async (hangingKinds: number, fireConnections: number) => {
  const open = (url: string) => createPool({ url, max: 4, log: silentLog });
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'), open);
  disposals.push(dispose);
  const store = new PostgresTimerStore(new Database({ pool, schema }));
  const index = new MemoryDueIndex(systemClock);
  const engine = new TimerEngine({
    store,
    index,
    clock: systemClock,
    log: silentLog,
    exclusive: alwaysExclusive,
    retentionMs: 60_000,
    fireConnections,
  });
  let hanging = 0;
  const entered = Promise.withResolvers<void>();
  for (let at = 0; at < hangingKinds; at += 1) {
    const fire: FireKind['fire'] = (timers, tx) => {
      hanging += 1;
      if (hanging === Math.min(hangingKinds, fireConnections)) entered.resolve();
      return hang(timers, tx);
    };
    engine.register({ kind: `hanging-${at}`, fire });
  }
  const lateMs: number[] = [];
  const call = async ({ dueAtMs }: { readonly dueAtMs: number }) => {
    lateMs.push((await store.nowMs()) - dueAtMs);
  };
  engine.register({ kind: 'mail', call });
  disposals.push(() => engine.stop());
  await engine.start();
  const nowMs = await store.nowMs();
  const kinds = Array.from({ length: hangingKinds }, (_, at) => `hanging-${at}`);
  await engine.timers.schedule(kinds.flatMap((kind) => spread(kind, 20, { fromMs: nowMs })));
  await entered.promise;
  const fromMs = await store.nowMs();
  await engine.timers.schedule(spread('mail', 20, { fromMs, spanMs: 1000 }));
  // Until all have fired, or one of them is too late: the others say nothing more then.
  await vi.waitFor(() => expect(lateMs.length === 20 || lateMs.some(isTooLate)).toBe(true), { timeout: 10_000 });
  return { lateMs, hanging };
};

describe('kinds that hang in Postgres', () => {
  it('have their share of the connections, and others fire beside them', async () => {
    const { lateMs, hanging } = await besides(6, 1);
    expect(hanging).toBe(1);
    expect(lateMs).toHaveLength(20);
    expect(lateMs.filter(isTooLate)).toEqual([]);
  });

  it('take all connections where there is no share: the planted fault', async () => {
    const { lateMs } = await besides(6, 4);
    expect(lateMs.filter(isTooLate)).not.toEqual([]);
  });
});

describe('a kind that fires in Postgres', () => {
  const start = async (): Promise<EngineUnderTest> => {
    const under = await makeEngine();
    disposals.push(under.dispose);
    return under;
  };
  const orders = (count: number) => spread('order', count, { fromMs: NOW_MS });
  const effects = async ({ pool }: EngineUnderTest): Promise<number> =>
    (await pool.query('select from effect')).rowCount ?? 0;

  it('has one suspect in a turn, and between two of them a turn of the others', async () => {
    const under = await start();
    const turns: string[][] = [];
    under.engine.register({
      kind: 'order',
      fire: async (timers, tx, nowMs) => {
        turns.push(timers.map(({ subject }) => subject));
        if (turns.length === 1) await tx.query(`do $$ begin raise exception using errcode = '40001'; end $$`);
        return recordEffects(timers, tx, nowMs);
      },
    });
    await under.timers.schedule(orders(3));
    await under.engine.runDue();
    under.clock.advance(500);
    await under.timers.schedule([{ kind: 'order', subject: 'late', owner: 'ann', dueAtMs: NOW_MS }]);
    await under.engine.runDue();
    expect(turns.slice(1).map((turn) => turn.length)).toEqual([1, 1, 1, 1]);
    expect(turns[2]).toEqual(['late']);
    expect(await effects(under)).toBe(4);
  });

  it('that does not come back loses its connection within five seconds; alone, that is an attempt', async () => {
    const under = await start();
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    under.engine.register({
      kind: 'order',
      fire: async (timers, tx, nowMs) => {
        enter();
        await woken;
        late = recordEffects(timers, tx, nowMs);
        return late.then(() => undefined);
      },
    });
    await under.timers.schedule(orders(1));
    const running = under.engine.runDue();
    await entered;
    under.clock.advance(5000);
    await running;
    const [timer] = await under.timers.find([{ kind: 'order', subject: 'order-0' }]);
    expect(timer).toMatchObject({ state: 'scheduled', attempt: 1 });
    expect(timer?.lastError).toMatch(/did not come back/);
    wake();
    await vi.waitFor(() => expect(late).toBeDefined());
    await expect(late).rejects.toThrow();
    expect(await effects(under)).toBe(0);
  });
});
