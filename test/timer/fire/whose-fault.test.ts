import { Pool } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive } from '../../../server/adapter/embedded-postgres/postmaster.ts';
import { createTimers, type HandlerTx, ManualClock, type Timer } from '../../../server/timers.ts';
import { migratedDatabase } from '../../support/postgres/home-database.ts';
import { hostDatabase } from '../../support/postgres/host-database.ts';

const NOW_MS = 1_790_000_000_000;
const raise = (code: string): string => `do $$ begin raise exception 'by hand' using errcode = '${code}'; end $$`;

/** A game with one kind, a handler that the test controls, and one due timer. */
const gameOn = async (
  fire: (tx: HandlerTx, own: Pool, timers: readonly Timer[]) => Promise<unknown>,
  subjects = ['a'],
) => {
  const { url, pool } = await hostDatabase(4, migratedDatabase);
  const own = new Pool({ connectionString: url, max: 2 });
  own.on('error', () => undefined);
  const clock = new ManualClock(NOW_MS);
  const lines: string[] = [];
  const say = (fields: object, message: string): void => {
    const { kind, timerId, attempt, leftOut, err } = fields as Record<string, unknown> & { readonly err?: Error };
    lines.push([message, kind, timerId, attempt, leftOut, err?.message].join(' | '));
  };
  const game = createTimers({
    pool,
    clock,
    log: { info: () => undefined, warn: say, error: say },
    kinds: [
      {
        kind: 'order',
        retryDelaysMs: [1000],
        fire: async (timers, tx) => void (await fire(tx, own, timers)),
      },
    ],
  });
  await game.lifecycle.boot();
  onTestFinished(async () => {
    await game.lifecycle.shutdown();
    await own.end();
  });
  const keys = subjects.map((subject) => ({ kind: 'order', subject }));
  await game.timers.schedule(keys.map((key) => ({ ...key, owner: 'ann', dueAtMs: NOW_MS })));
  const turn = async (): Promise<readonly (Timer | undefined)[]> => {
    await game.runDue();
    clock.advance(1000);
    return game.timers.find(keys);
  };
  return { ...game, clock, lines, turn, pool };
};

/** A `fire` handler's own errors that look like faults of the world. */
const ofHandler: Readonly<Record<string, (tx: HandlerTx, own: Pool) => Promise<unknown>>> = {
  'an error of another service': () => Promise.reject(Object.assign(new Error('mail'), { code: 'ECONNREFUSED' })),
  'no error at all, with such a code': () => Promise.reject({ code: 'ECONNREFUSED', message: 'mail' }),
  'an error with another one for its cause': () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) })),
  'a word of the driver’s': () => Promise.reject(new Error('Connection terminated unexpectedly')),
  'a serialization failure of a pool of its own': (_tx, own) => own.query(raise('40001')),
  'a full disk of a pool of its own': (_tx, own) => own.query(raise('53100')),
  'a lost connection of a pool of its own': (_tx, own) => own.query('select pg_terminate_backend(pg_backend_pid())'),
  'a full disk, raised by hand on ours': (tx) => tx.query(raise('53100')),
  'a statement that took too long on ours': (tx) => tx.query('select pg_sleep(3.5)'),
  'a transaction that it let idle': async (tx, own) => {
    const { rows } = await tx.query('select pg_backend_pid() as pid');
    const isLeft = async () =>
      (await own.query('select from pg_stat_activity where pid = $1', [rows[0]?.pid])).rowCount;
    await vi.waitFor(async () => expect(await isLeft()).toBe(0), { timeout: 10_000 });
  },
  'a transaction that it let idle, which is known only at its end': async (tx) => {
    const { rows } = await tx.query('select pg_backend_pid() as pid');
    await tx.query('set local idle_in_transaction_session_timeout = 10');
    // With the event loop: nothing that Postgres says is read before the handler returns.
    const endAtMs = performance.now() + 10_000;
    while (isAlive(Number(rows[0]?.pid)) && performance.now() < endAtMs);
  },
  'data that is refused': (tx) => tx.query("select 'x'::int"),
  'text that Postgres cannot hold': (tx) => tx.query('select $1::text', ['a\0b']),
  'a statement whose error it kept to itself': (tx) => tx.query('select 1/0').catch(() => undefined),
  'a statement that it did not await': async (tx) => void tx.query('select 1/0'),
};

describe('is the handler’s attempt, in its row and in the log, and dead after its retries:', () => {
  it.each(Object.entries(ofHandler))('%s', async (_what, fire) => {
    const { turn, lines } = await gameOn(fire);
    const [first] = await turn();
    expect(first).toMatchObject({ state: 'scheduled', attempt: 1, lastError: expect.stringMatching(/.{9}/) });
    const [second] = await turn();
    expect(second).toMatchObject({ state: 'dead', attempt: 2 });
    const told = lines.filter((line) => line.includes('order'));
    expect(told).toEqual([
      expect.stringMatching(/^a timer failed, .* \| order \| \d+ \| 1 \| 0 \| /),
      expect.stringMatching(/^a timer is dead \| order \| \d+ \| 2 \| 0 \| /),
    ]);
  });
});

describe('what others’ transactions did', () => {
  it.each(['40001', '40P01', '55P03'])('%s on our connection: counts after twenty in a row', async (code) => {
    const { turn } = await gameOn((tx) => tx.query(raise(code)));
    for (let time = 1; time <= 20; time += 1) {
      expect((await turn())[0]).toMatchObject({ state: 'scheduled', attempt: 0, lastError: undefined });
    }
    expect((await turn())[0]).toMatchObject({ state: 'scheduled', attempt: 1 });
  });

  it('begins to count anew after a success', async () => {
    let times = 0;
    const { turn, timers } = await gameOn(async (tx) => {
      times += 1;
      if (times !== 20) await tx.query(raise('40001'));
    });
    for (let time = 1; time <= 20; time += 1) await turn();
    const again = { kind: 'order', subject: 'a', owner: 'ann', dueAtMs: NOW_MS };
    await timers.schedule([again]);
    for (let time = 1; time <= 20; time += 1) expect((await turn())[0]).toMatchObject({ attempt: 0 });
  });
});

it('the loss of our own connection is never counted', async () => {
  const { turn } = await gameOn((tx) => tx.query('select pg_terminate_backend(pg_backend_pid())'));
  for (let time = 1; time <= 22; time += 1) expect((await turn())[0]).toMatchObject({ attempt: 0, state: 'scheduled' });
});

it('a connection that cannot be opened is never counted, whatever the reason', async () => {
  let fired = 0;
  const { runDue, turn, pool } = await gameOn(async (tx, _own, [timer]) => {
    fired += 1;
    await tx.timers.schedule([{ kind: 'order', subject: 'a', owner: 'ann', dueAtMs: Number(timer?.dueAtMs) + 1000 }]);
  });
  const { connect } = pool;
  let refusals = 0;
  // One connection, as after a rotated password: those that are open go on. The second one reads the row.
  for (const refused of [1, 3, 4, 5, 6]) {
    let asked = 0;
    pool.connect = ((told?: (error: Error) => void) => {
      asked += 1;
      if (asked !== refused) return Reflect.apply(connect, pool, told ? [told] : []);
      refusals += 1;
      const refusal = Object.assign(new Error('password authentication failed'), { code: '28P01' });
      return told ? told(refusal) : Promise.reject(refusal);
    }) as typeof connect;
    await runDue().catch(() => undefined);
    pool.connect = connect;
    const before = fired;
    for (let times = 0; times < 2; times += 1) {
      expect((await turn())[0]).toMatchObject({ state: 'scheduled', attempt: 0, lastError: undefined });
    }
    expect(fired).toBeGreaterThan(before);
  }
  expect(refusals).toBeGreaterThan(1);
});

it('of a batch that fails each timer is an attempt, and a second has one line, which says how many it leaves out', async () => {
  const subjects = Array.from({ length: 9 }, (_, at) => `s${at}`);
  const { turn, lines, timers } = await gameOn(() => Promise.reject(new Error('no stock')), subjects);
  for (const row of await turn()) expect(row).toMatchObject({ attempt: 1, lastError: 'Error: no stock' });
  for (const row of await turn()) expect(row).toMatchObject({ state: 'dead' });
  await timers.schedule([{ kind: 'order', subject: 's0', owner: 'ann', dueAtMs: NOW_MS }]);
  await turn();
  const told = lines.map((line) => line.split(' | '));
  expect(told.map(([what, , , , leftOut]) => [what?.split(/[,:]/)[0], leftOut])).toEqual([
    ['a timer failed', '0'],
    ['a timer is dead', '0'],
    ['a timer failed', '8'],
  ]);
});

it('a refused call of timers that nobody awaited ends nothing, and is named', async () => {
  const { turn, lines } = await gameOn(async (tx) => {
    void tx.timers.cancel([5] as never);
  });
  const [timer] = await turn();
  expect(timer?.state).toBe('completed');
  expect(lines).toEqual([
    expect.stringMatching(/^a call in its transaction failed in a handler that went on \| order \|.*cancel refuses/s),
  ]);
});
