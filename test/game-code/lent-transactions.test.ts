import { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { lend } from '../../server/adapter/postgres/lend.ts';
import { createKibble, type Kibble, type Sql, silent } from '../../server/kibble.ts';
import { createTimers, type HandlerTx, ManualClock } from '../../server/timers.ts';
import { recordedLog } from '../support/log/logs.ts';
import { hooked } from '../support/modules/puppet.ts';
import { migratedDatabase } from '../support/postgres/home-database.ts';
import { hostDatabase } from '../support/postgres/host-database.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';

/** What a game does wrong with a transaction that it was lent. The second part: how its transaction is refused. */
const misuses: readonly [string, (tx: Sql) => unknown, RegExp][] = [
  ['fails in a statement that it does not await', (tx) => void tx.query('select 1 / 0'), /division by zero/],
  ['goes on after a failed statement', (tx) => tx.query('select 1 / 0').catch(() => undefined), /division by zero/],
  ['commits', (tx) => tx.query('commit'), /ends after the work/],
  ['commits behind a comment', (tx) => tx.query('/* now * */ -- so\n ; COMMIT and chain'), /ends after the work/],
  ['rolls back, and goes on', async (tx) => await tx.query('rollback').catch(() => undefined), /ends after the work/],
  ['begins one of its own', (tx) => tx.query({ text: 'start transaction' } as never), /ends after the work/],
];
const rightUses: readonly [string, (tx: Sql) => unknown][] = [
  ['waits for no statement', (tx) => void tx.query('select 1')],
  [
    'goes back to a savepoint',
    async (tx) => {
      await tx.query('savepoint mine');
      await tx.query('select 1 / 0').catch(() => undefined);
      await tx.query('rollback to savepoint mine');
    },
  ],
];

const lost: unknown[] = [];
const note = (reason: unknown): void => void lost.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));
beforeEach(() => {
  lost.length = 0;
});

describe('a module’s inTransaction', () => {
  let act: (tx: Sql) => unknown = () => undefined;
  let go: (playerId: string) => Promise<unknown>;
  let timers: Kibble['timers'];
  beforeAll(async () => {
    const { url, drop } = await createDatabase(inject('postgresUrl'));
    const pool = new Pool({ connectionString: url, max: 4 });
    const acting = hooked(async (tx) => (await act(tx)) as undefined);
    const kibble = createKibble({ pool, log: silent, playerId: ({ sub }: { sub: string }) => sub, modules: [acting] });
    await kibble.lifecycle.boot();
    timers = kibble.timers as never;
    let commands = 0;
    go = async (playerId) => {
      commands += 1;
      const payload = { commandId: `command-${commands}` };
      const command = { playerId, type: 'hooked:sing', payload } as never;
      const [outcome] = await kibble.homes.handle([command]);
      return outcome?.ok ? 'done' : outcome?.error;
    };
    return async () => {
      await kibble.lifecycle.shutdown();
      await pool.end();
      await drop();
    };
  });

  it('may leave a call of Kibble without an await that is refused', async () => {
    act = (tx) => void timers.within(tx).schedule([{ kind: 'none', subject: 'a', owner: 'ann', dueAtMs: 1 }]);
    await go('ann');
    await new Promise((resolve) => setImmediate(resolve));
    expect(lost).toEqual([]);
    act = () => undefined;
  });

  it.each(misuses)('that %s is a fault of the module', async (_name, misuse) => {
    act = misuse;
    expect(await go('ann')).toMatchObject({ code: 'module/fault', retryable: false });
    act = () => undefined;
    expect(await go('ann')).toBe('done');
    expect(lost).toEqual([]);
  });

  it.each(rightUses)('that %s is done', async (_name, use) => {
    act = use;
    expect(await go('bob')).toBe('done');
    expect(lost).toEqual([]);
  });

  it('that never returns is a fault of the module, and its player plays on', async () => {
    act = () => new Promise(() => undefined);
    const [stuck, other] = [go('cat'), go('dan')];
    expect(await stuck).toMatchObject({ code: 'module/fault', retryable: false });
    await other;
    act = () => undefined;
    expect(await go('cat')).toBe('done');
  });

  it('cannot use its transaction later', async () => {
    let kept: Sql | undefined;
    act = (tx) => {
      kept = tx;
    };
    expect(await go('eve')).toBe('done');
    await expect(kept?.query('select 1')).rejects.toMatchObject({ code: 'transaction/over' });
  });
});

describe('a fire handler', () => {
  const handlerDoes = async (fire: (tx: HandlerTx) => unknown) => {
    const { pool } = await hostDatabase(4, migratedDatabase);
    await pool.query('create table gold (n int)');
    // A lost connection may hold its lock when the failure is saved: the engine waits half a second, and saves again.
    const clock = Object.assign(new ManualClock(1_790_000_000_000), { after: systemClock.after });
    const { log, lines } = recordedLog();
    const kinds = [
      { kind: 'order', retryDelaysMs: [], fire: async (_: unknown, tx: HandlerTx) => void (await fire(tx)) },
    ];
    const game = createTimers({ pool, clock, log, kinds });
    await game.lifecycle.boot();
    onTestFinished(() => game.lifecycle.shutdown());
    await game.timers.schedule([{ kind: 'order', subject: 's', owner: 'ann', inMs: 0 }]);
    await game.runDue();
    const [timer] = await game.timers.find([{ kind: 'order', subject: 's' }]);
    const { rows } = await pool.query('select n from gold');
    return { timer, gold: rows.length, lines };
  };

  it.each(misuses)('that %s has failed, and nothing of it is written', async (_name, misuse, why) => {
    const { timer, gold } = await handlerDoes(async (tx) => {
      await tx.query('insert into gold values (1)');
      await misuse(tx);
    });
    expect(timer).toMatchObject({ state: 'dead', lastError: expect.stringMatching(why) });
    expect([gold, lost]).toEqual([0, []]);
  });

  it('that ends it in the middle of a text has failed', async () => {
    const { timer } = await handlerDoes((tx) => tx.query('select 1; commit'));
    expect(timer).toMatchObject({ state: 'dead', lastError: expect.stringMatching(/ends after the work/) });
  });

  it.each(rightUses)('that %s has fired', async (_name, use) => {
    const { timer } = await handlerDoes(use);
    expect(timer).toMatchObject({ state: 'completed' });
  });

  it('that sends statements for ever without awaiting them has failed', { timeout: 30_000 }, async () => {
    const { timer, lines } = await handlerDoes((tx) => {
      const poll = async (): Promise<void> => {
        while ((await tx.query('select 1')).rows.length > 0);
      };
      poll().catch(() => undefined);
    });
    const stuck = { state: 'dead', lastError: expect.stringContaining('did not return within') };
    expect(timer, JSON.stringify(lines)).toMatchObject(stuck);
    expect(lost).toEqual([]);
  });

  it.each([
    [
      'in a part that it does not await',
      (tx: HandlerTx, call: () => void) => void tx.query('select 1').then(() => call()),
    ],
    ['after the commit', (tx: HandlerTx, call: () => void) => tx.afterCommit(call)],
  ])('may not let its own timer come again %s', async (_, later) => {
    const own = { kind: 'order', subject: 's', owner: 'ann', inMs: 60_000 };
    let call: Promise<unknown> | undefined;
    const { timer } = await handlerDoes((tx) =>
      later(tx, () => {
        call = tx.timers.schedule([own, { ...own, subject: 'other' }]);
      }),
    );
    await expect(call).rejects.toMatchObject({ code: 'transaction/over' });
    expect(timer).toMatchObject({ state: 'completed' });
    expect(lost).toEqual([]);
  });

  it('may not add to what runs after the commit once it has returned', async () => {
    let late: unknown;
    const { timer, lines } = await handlerDoes((tx) => {
      tx.afterCommit(() => {
        try {
          tx.afterCommit(() => undefined);
        } catch (error) {
          late = error;
          throw error;
        }
      });
    });
    expect(timer).toMatchObject({ state: 'completed' });
    expect(late).toMatchObject({ code: 'transaction/over' });
    expect(lines).toContainEqual(expect.objectContaining({ message: 'a handler failed after its commit' }));
    expect((await handlerDoes((tx) => tx.afterCommit(5 as never))).timer).toMatchObject({
      state: 'dead',
      lastError: expect.stringContaining('give a function'),
    });
  });
});

it.each([
  ['grant', 'snack', 0],
  ['mustGrant', 'snack', 0],
  ['mustGrant', 'gem', 1],
] as const)(
  'a %s of a %s that a handler does not await ends nothing, and is done or named',
  async (call, item, warnings) => {
    const { pool } = await hostDatabase(4, migratedDatabase);
    const clock = new ManualClock(1_790_000_000_000);
    const { log, lines } = recordedLog();
    const kibble: Kibble = createKibble({
      pool,
      clock,
      log,
      playerId: ({ sub }: { sub: string }) => sub,
      kinds: [
        {
          kind: 'gift',
          fire: async ([timer], tx) => {
            const order = {
              playerId: timer?.owner ?? '',
              commandId: 'a-gift-of-1',
              items: { [item]: 1 },
              reason: 'gift',
            };
            void kibble.homes[call]([order], { tx });
            return undefined;
          },
        },
      ],
    });
    await kibble.lifecycle.boot();
    onTestFinished(() => kibble.lifecycle.shutdown());
    await kibble.timers.schedule([{ kind: 'gift', subject: 's', owner: 'ann', inMs: 0 }]);
    await kibble.runDue();
    const message = 'a call in its transaction failed in a handler that went on';
    expect(lines.filter((line) => line.message === message)).toHaveLength(warnings);
    expect((await kibble.homes.look(['ann']))[0]?.home.items.snack ?? 0).toBe(1 - warnings);
    expect(lost).toEqual([]);
  },
);

it.each([false, true])(
  'a grant that a handler does not await is done whole or not at all, with pipelining %s',
  async (pipeline) => {
    const { pool } = await hostDatabase(4, migratedDatabase);
    Object.assign(pool.options, { pipeline });
    const clock = new ManualClock(1_790_000_000_000);
    const kinds = [
      {
        kind: 'gift',
        fire: async ([timer]: readonly { readonly subject: string }[], tx: HandlerTx) => {
          const gift = `gift-of-${timer?.subject}`;
          void kibble.homes.grant([{ playerId: 'ann', commandId: gift, items: { gem: 1 }, reason: 'gift' }], { tx });
          for (let at = 0; at < Number(timer?.subject); at += 1) await tx.query('select 1');
          return undefined;
        },
      },
    ];
    const playerId = ({ sub }: { sub: string }) => sub;
    const kibble: Kibble = createKibble({ pool, clock, log: silent, playerId, items: ['gem'], kinds } as never);
    await kibble.lifecycle.boot();
    onTestFinished(() => kibble.lifecycle.shutdown());
    const first = { playerId: 'ann', commandId: 'opens-a-home', items: { gem: 1 }, reason: 'gift' };
    await kibble.homes.mustGrant([first]);
    for (let statements = 0; statements < 9; statements += 1) {
      await kibble.timers.schedule([{ kind: 'gift', subject: String(statements), owner: 'ann', inMs: 0 }]);
      await kibble.runDue();
      const { rows } = await pool.query(
        `select h.seq::int, (h.items->>'gem')::int as gems, (select count(*)::int from kibble.event e where e.player_id = 'ann') as events,
        (select count(*)::int from kibble.event e where e.player_id = 'ann' and e.body::text like '%gem%') as granted
       from kibble.home h where player_id = 'ann'`,
      );
      expect(rows[0]).toEqual({ ...rows[0], seq: rows[0].events, gems: rows[0].granted });
    }
    expect(lost).toEqual([]);
  },
);

describe('homes in one transaction', () => {
  const gifts = async (pipeline: boolean, after: (elsewhere: Sql, tx: Sql) => Promise<unknown>) => {
    const { pool } = await hostDatabase(4, migratedDatabase);
    Object.assign(pool.options, { pipeline });
    await pool.query('create table bag (gems int); insert into bag values (0)');
    const inventory = {
      load: async (_: Sql, players: readonly string[]) => new Map(players.map((player) => [player, { gem: 9 }])),
      apply: async (tx: Sql) => {
        await tx.query('update bag set gems = gems + 1');
        await after(pool, tx);
      },
      erase: async () => undefined,
      merge: async () => undefined,
    };
    const playerId = ({ sub }: { sub: string }) => sub;
    const kibble: Kibble = createKibble({ pool, log: silent, playerId, items: ['gem'], inventory } as never);
    await kibble.lifecycle.boot();
    onTestFinished(() => kibble.lifecycle.shutdown());
    const give = (commandId: string, tx: Sql, player = 'ann') =>
      kibble.homes.grant([{ playerId: player, commandId, items: { gem: 1 }, reason: 'gift' }], { tx });
    const counted = async () => {
      const { rows } = await pool.query(`select (select gems from bag) as gems,
        (select count(*)::int from kibble.event where body::text like '%gem%') as events`);
      return rows[0];
    };
    return { kibble, give, counted };
  };

  it.each([false, true])('may be two at once for one player, with pipelining %s', async (pipeline) => {
    const { kibble, give, counted } = await gifts(pipeline, async () => undefined);
    await kibble.timers.transaction(({ tx }) => Promise.all([give('the-first-gift', tx), give('the-second-gift', tx)]));
    expect(await counted()).toEqual({ gems: 2, events: 2 });
  });

  it('is done whole or not at all if its work catches its failure', async () => {
    const { kibble, give, counted } = await gifts(false, () => Promise.reject(new Error('the bag is full')));
    await kibble.timers.transaction(async ({ tx }) => {
      await expect(give('the-only-gift', tx)).rejects.toThrow();
      await tx.query('select 1');
    });
    expect(await counted()).toEqual({ gems: 0, events: 0 });
  });

  it('is done whole or not at all if a call inside it failed, too', async () => {
    const { kibble, give, counted } = await gifts(false, async (_, tx) => {
      inside += 1;
      if (inside === 1) await give('the-inner-gift', tx, 'bea').catch(() => undefined);
      throw new Error('the bag is full');
    });
    let inside = 0;
    await kibble.timers.transaction(async ({ tx }) => {
      await expect(give('the-only-gift', tx)).rejects.toThrow();
    });
    expect(inside).toBe(2);
    expect(await counted()).toEqual({ gems: 0, events: 0 });
  });

  it('waits for a call inside it that its code does not await', async () => {
    const { kibble, give, counted } = await gifts(false, async (elsewhere, tx) => {
      inside += 1;
      if (inside === 1) void give('the-inner-gift', tx, 'bea').catch(() => undefined);
      else for (let asked = 0; asked < 50; asked += 1) await elsewhere.query('select 1');
    });
    let inside = 0;
    await kibble.timers.transaction(({ tx }) => give('the-only-gift', tx));
    expect(await counted()).toEqual({ gems: 2, events: 2 });
  });

  it('fails the transaction if one of its statements failed', async () => {
    const { kibble, give, counted } = await gifts(false, (_, tx) => tx.query('select 1 / 0'));
    const told = kibble.timers.transaction(async ({ tx }) => {
      await give('the-only-gift', tx).catch(() => undefined);
    });
    await expect(told).rejects.toThrow();
    expect(await counted()).toEqual({ gems: 0, events: 0 });
  });

  it('is done whole or not at all if its work does not await it', async () => {
    const { kibble, give, counted } = await gifts(false, async (elsewhere) => {
      for (let asked = 0; asked < 50; asked += 1) await elsewhere.query('select 1');
    });
    await kibble.timers
      .transaction(async ({ tx }) => {
        void give('the-only-gift', tx);
        await tx.query('select 1');
      })
      .catch(() => undefined);
    const { gems, events } = await counted();
    expect(gems).toBe(events);
    expect(lost).toEqual([]);
  });
});

describe('timers.transaction', () => {
  const timersOn = async () => {
    const { pool } = await hostDatabase(3, migratedDatabase);
    const { log, lines } = recordedLog();
    const game = createTimers({ pool, log, kinds: [{ kind: 'order', fire: async () => undefined }] });
    await game.lifecycle.boot();
    onTestFinished(() => game.lifecycle.shutdown());
    return { ...game, pool, lines };
  };
  const far = { kind: 'order', subject: 'far', owner: 'ann', inMs: 3_600_000 };

  it('ends with its session when its work never returns, and returns the connection', async () => {
    const { timers } = await timersOn();
    const works = [1, 2, 3].map(() => timers.transaction(() => new Promise(() => undefined)).catch((error) => error));
    for (const error of await Promise.all(works)) expect(error).toMatchObject({ code: '25P03' });
    expect(await timers.schedule([far])).toMatchObject([{ outcome: 'applied' }]);
  });

  it('refuses its calls after its end, which would be in a transaction of others', async () => {
    const { timers } = await timersOn();
    const kept = await timers.transaction(async (tx) => tx);
    await expect(kept.schedule([far])).rejects.toMatchObject({ code: 'transaction/over' });
    expect(await timers.find([{ kind: 'order', subject: 'far' }])).toEqual([undefined]);
  });

  it('does or names a call that its work does not await', async () => {
    const { timers, lines } = await timersOn();
    await timers.transaction(async ({ schedule }) => void schedule([far]));
    expect(await timers.find([{ kind: 'order', subject: 'far' }])).toMatchObject([{ state: 'scheduled' }]);
    await timers.transaction(async ({ schedule }) => void schedule([{ ...far, kind: 'unregistered' }]));
    const late = await timers.transaction(async ({ schedule }) => schedule);
    await expect(late([far])).rejects.toMatchObject({ code: 'transaction/over' });
    await new Promise(setImmediate);
    const said = { message: 'a call in a transaction failed in a work that went on' };
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([said, said]);
    expect(lost).toEqual([]);
  });

  it.each(misuses)('whose work %s is rolled back', async (_name, misuse, why) => {
    const { timers } = await timersOn();
    const work = timers.transaction(async ({ tx, schedule }) => {
      await schedule([far]);
      await misuse(tx);
    });
    await expect(work).rejects.toThrow(why);
    expect(await timers.find([{ kind: 'order', subject: 'far' }])).toEqual([undefined]);
    expect(lost).toEqual([]);
  });
});

describe('a transaction of the game', () => {
  it('whose handler sends statements for ever without awaiting them is ended', { timeout: 30_000 }, async () => {
    const query = async () => {
      await new Promise(setImmediate);
      return { rows: [{}], rowCount: 1 };
    };
    const work = (tx: Sql): void => {
      const poll = async (): Promise<void> => {
        while ((await tx.query('select 1')).rows.length > 0);
      };
      poll().catch(() => undefined);
    };
    await expect(lend({ query } as never, work, { of: 'handler' })).rejects.toMatchObject({
      name: 'HandlerStuck',
      message: expect.stringContaining('did not return within'),
    });
  });

  it('that is no client of pg gets text and values for each statement', async () => {
    const sent: unknown[] = [];
    const query = async (text: unknown, values: unknown) => {
      sent.push([text, ...(Array.isArray(values) ? values : [])]);
      if (text === 'fails') throw new Error('no such table');
      return { rows: [], rowCount: 0 };
    };
    await lend({ query } as never, async (tx) => {
      await tx.query('savepoint a');
      await tx.query('fails').catch(() => tx.query('rollback to a'));
      await tx.query('select $1', [7]);
      await tx.query({ text: 'select $1', values: [8] } as never);
    });
    expect(sent).toEqual([
      ['savepoint a'],
      ['fails'],
      ['rollback to a'],
      ['select $1', 7],
      [{ text: 'select $1', values: [8] }],
      ['select 1'],
    ]);
  });

  const rows = [[], undefined, null, { rows: 5 }, 'no'];
  it.each(rows)('whose query returns %j is refused by name', async (returned) => {
    const { pool } = await hostDatabase(3, migratedDatabase);
    const game = createTimers({ pool, log: silent, kinds: [{ kind: 'order', fire: async () => undefined }] });
    await game.lifecycle.boot();
    onTestFinished(() => game.lifecycle.shutdown());
    const tx = { query: async () => returned as never };
    const call = game.timers.within(tx).schedule([{ kind: 'order', subject: 's', owner: 'ann', inMs: 0 }]);
    await expect(call).rejects.toMatchObject({ code: 'transaction/query', retryable: false });
    const sync = { query: () => returned as never };
    await expect(game.timers.within(sync).cancel([{ timerId: '1' }])).rejects.toMatchObject({
      code: 'transaction/query',
    });
  });
});
