import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import type { Clock } from '../../server/runtime/clock.ts';
import { loneNode } from '../../server/timer/dispatch/live-nodes.ts';
import { RightToRun } from '../../server/wiring/right-to-run.ts';
import { timed } from '../proof/table/tries.ts';
import { recordedLog } from '../support/log/logs.ts';
import { silentNetwork } from '../support/machine/relay.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';
import { endHolders, takeRight } from '../support/postgres/take-right.ts';
import { prove } from '../support/properties/prove.ts';

let database: TestDatabase;
let admin: Pool;
let schemas: number;

beforeAll(async () => {
  schemas = 0;
  database = await createDatabase(inject('postgresUrl'));
  admin = new Pool({ connectionString: database.url, max: 2 });
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

interface Process {
  readonly right: RightToRun;
  acquire(): Promise<void>;
  /** The codes that it has logged. */
  codes(): readonly unknown[];
  readonly onReturn: () => Promise<void>;
}

/** A process with its right on a schema; by default without Redis, and with a drain that never ends. */
const processOn = (
  schema: string,
  {
    isShared = false,
    url = database.url,
    clock = systemClock,
    handOver = () => new Promise<never>(() => undefined),
    refill = async () => undefined,
  }: {
    isShared?: boolean;
    url?: string;
    clock?: Clock;
    handOver?: (right: RightToRun) => Promise<void>;
    refill?: () => Promise<void>;
  } = {},
): Process => {
  const { log, lines } = recordedLog();
  const pool = new Pool({ connectionString: url, max: 3, connectionTimeoutMillis: 1000 });
  pool.on('error', () => undefined);
  const onReturn = vi.fn(refill);
  const right = new RightToRun({ pool, schema, isShared, clock, log });
  onTestFinished(async () => {
    await right.release();
    await pool.end();
  });
  const acquire = () => {
    right.enlist();
    return right.acquire({ onReturn, handOver: () => handOver(right) });
  };
  return { right, onReturn, acquire, codes: () => lines.map(({ code }) => code) };
};

const newSchema = (): string => {
  schemas += 1;
  return `right_${schemas}`;
};

/** A clock on which each wait is over at the next turn of the event loop, and has taken its time. */
const hastyClock = (): Clock => {
  let nowMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => nowMs,
    after: (delayMs, callback) => {
      const wait = setImmediate(() => {
        nowMs += delayMs;
        callback();
      });
      return () => clearImmediate(wait);
    },
  };
};

describe('the right to run', () => {
  it.each([
    { holder: 'without Redis', waiter: 'without Redis' },
    { holder: 'without Redis', waiter: 'with Redis' },
    { holder: 'with Redis', waiter: 'without Redis' },
  ])(
    'of a process $waiter is waited for while one $holder runs, and there within a second of its end',
    async (pair) => {
      const schema = newSchema();
      const [first, second] = [pair.holder, pair.waiter].map((who) =>
        processOn(schema, { isShared: who === 'with Redis' }),
      );
      await first?.acquire();
      let isThere = false;
      const acquired = second?.acquire().then(() => {
        isThere = true;
      });
      await expect.poll(() => second?.codes()).toEqual(['database/in-use']);
      expect(isThere).toBe(false);
      const endedAtMs = performance.now();
      await first?.right.release();
      await acquired;
      expect(performance.now() - endedAtMs).toBeLessThan(timed(1000));
    },
  );

  it('is shared by processes with Redis, which wait for nobody', async () => {
    const schema = newSchema();
    const both = [processOn(schema, { isShared: true }), processOn(schema, { isShared: true })];
    await Promise.all(both.map(({ acquire }) => acquire()));
    expect(both.flatMap(({ codes }) => codes())).toEqual([]);
  });

  it('is refused after half a minute, with what to do', async () => {
    const schema = newSchema();
    await processOn(schema).acquire();
    const clock = hastyClock();
    await expect(processOn(schema, { clock }).acquire()).rejects.toMatchObject({
      code: 'database/in-use',
      retryable: true,
      message: expect.stringMatching(/^another Kibble of this process works on this database: use that one/),
    });
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(30_000);
  });

  it('is handed over in one process, to the one that began last', async () => {
    const schema = newSchema();
    const handOver = (right: RightToRun) => right.release();
    const [first, second, third] = Array.from({ length: 3 }, () => processOn(schema, { handOver }));
    await first?.acquire();
    await second?.acquire();
    expect([first?.right.mayRun, first?.right.isHandedOver, first?.codes()]).toEqual([
      false,
      true,
      ['database/handed-over'],
    ]);
    await third?.acquire();
    expect([second?.right.isHandedOver, third?.right.mayRun]).toEqual([true, true]);
  });

  it('is not taken by one that began before the one of the same process that has it', async () => {
    const schema = newSchema();
    const first = processOn(schema);
    await first.acquire();
    const gate = Promise.withResolvers<void>();
    const asleep: Clock = {
      ...systemClock,
      after: (_, callback) => {
        void gate.promise.then(callback);
        return () => undefined;
      },
    };
    const second = processOn(schema, { clock: asleep });
    const late = second.acquire();
    await expect.poll(() => second.codes()).toEqual(['database/in-use']);
    const third = processOn(schema);
    const acquired = third.acquire();
    await first.right.release();
    await acquired;
    gate.resolve();
    await expect(late).rejects.toMatchObject({ code: 'database/in-use' });
    expect([third.right.mayRun, third.right.isHandedOver]).toEqual([true, false]);
  });

  it('is no more waited for by a process that shuts down meanwhile', async () => {
    const schema = newSchema();
    await processOn(schema).acquire();
    const second = processOn(schema);
    const acquired = second.acquire();
    await expect.poll(() => second.codes()).toEqual(['database/in-use']);
    await second.right.release();
    await expect(acquired).rejects.toMatchObject({ code: 'database/in-use' });
  });

  it.each([{ isShared: false }, { isShared: true }])(
    'comes back by itself to a process whose session was ended while nobody else wants it: %o',
    async ({ isShared }) => {
      const schema = newSchema();
      const { right, acquire, codes, onReturn } = processOn(schema, { isShared });
      await acquire();
      await endHolders(admin, schema);
      await vi.waitFor(() => expect(codes()).toEqual(['database/right-lost', 'database/right-back']), 5000);
      expect(right.mayRun).toBe(true);
      // Without Redis no other process would have updated the index.
      expect(onReturn).toHaveBeenCalledTimes(isShared ? 0 : 1);
    },
  );

  it('does not come back to a process that ends while its index is refilled', async () => {
    const schema = newSchema();
    const refilled = Promise.withResolvers<undefined>();
    const { right, acquire, codes, onReturn } = processOn(schema, { refill: () => refilled.promise });
    await acquire();
    await endHolders(admin, schema);
    await vi.waitFor(() => expect(onReturn).toHaveBeenCalledOnce(), 5000);
    await right.release();
    refilled.resolve(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(right.mayRun).toBe(false);
    expect(codes()).not.toContain('database/right-back');
  });

  it('that another one took makes a process idle, which says so, has no exclusive rights and is no node, until it is back', async () => {
    const schema = newSchema();
    const { right, acquire, codes, onReturn } = processOn(schema);
    await acquire();
    const sweep = right.exclusive('sweep');
    expect(await sweep.tryLock()).toBe(true);
    const giveBack = await takeRight(admin, schema);
    await vi.waitFor(() => expect(codes()).toEqual(['database/right-lost', 'database/in-use']), 5000);
    expect(right.mayRun).toBe(false);
    expect([await sweep.tryLock(), sweep.mayRun?.()]).toEqual([false, false]);
    expect(await right.nodes(loneNode).heartbeat()).toEqual([]);
    expect(onReturn).not.toHaveBeenCalled();
    await giveBack();
    await vi.waitFor(() => expect(right.mayRun).toBe(true), 5000);
    expect(codes().at(-1)).toBe('database/right-back');
    expect(onReturn).toHaveBeenCalledOnce();
    expect(await sweep.tryLock()).toBe(true);
    expect(await right.nodes(loneNode).heartbeat()).toEqual(['alone']);
  });

  it('that one without Redis took from processes with Redis frees their other rights, and has the index refilled', async () => {
    const schema = newSchema();
    const { right, acquire, onReturn } = processOn(schema, { isShared: true });
    await acquire();
    const sweep = right.exclusive('sweep');
    expect(await sweep.tryLock()).toBe(true);
    const giveBack = await takeRight(admin, schema);
    await vi.waitFor(() => expect(right.mayRun).toBe(false), 5000);
    expect([await sweep.tryLock(), sweep.mayRun?.()]).toEqual([false, false]);
    const { rows } = await admin.query(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as is_free, pg_advisory_unlock_all()',
      [`${schema}.sweep`],
    );
    expect(rows).toMatchObject([{ is_free: true }]);
    await giveBack();
    await vi.waitFor(async () => expect(await sweep.tryLock()).toBe(true), 5000);
    expect(sweep.mayRun?.()).toBe(true);
    expect(onReturn).toHaveBeenCalledOnce();
  });

  it('of a machine that died without a word is free within half a minute, through a proxy that keeps its connection', {
    timeout: 40_000,
  }, async (context) => {
    const network = await silentNetwork(database.url);
    onTestFinished(() => network.stop());
    const schema = newSchema();
    await processOn(schema, { url: network.url }).acquire();
    network.cut();
    await processOn(schema).acquire();
    prove(context, { row: 31, tries: 1, of: 'machines that died without a word' });
  });
});
