import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromDrizzle, fromPrisma } from '../../../server/adapter/postgres/orm-transactions.ts';
import {
  createKibble,
  type Kibble,
  type KibbleOptions,
  ManualClock,
  NotRetryable,
  silent,
} from '../../../server/kibble.ts';
import type { Sql } from '../../../shared/host-rows.ts';
import { hooked } from '../../support/modules/puppet.ts';
import { type Orm, orms } from '../../support/orms/orms.ts';
import { hostDatabase } from '../../support/postgres/host-database.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
/** Values that wrong quoting of lists and JSON would lose. */
const HARD = [' ', 'NULL', '{}', '"', '\\', "'", ',', '$1', '?', 'ä€🐾', 'a\nb'];

/** A row for each home that changes; then it fails for one of them. */
const singing = hooked(async (tx, changes) => {
  const owners = changes.map(({ playerId }) => playerId);
  await tx.query('insert into sung select * from unnest($1::text[])', [owners]);
  if (owners.includes('broken')) throw new Error('planted');
});

/** A game on a database of its own, with a table that the ORM writes. */
const gameWith = async (open: (url: string) => Orm | Promise<Orm>, more: Pick<KibbleOptions, 'modules'> = {}) => {
  const { url, pool } = await hostDatabase();
  await pool.query(
    'create table gold (owner text primary key, amount bigint not null); create table sung (owner text)',
  );
  const fired: unknown[] = [];
  const clock = new ManualClock(NOW_MS);
  const kibble = createKibble({
    pool,
    clock,
    log: silent,
    playerId: ({ sub }: { readonly sub: string }) => sub,
    ...more,
    kinds: [
      { kind: 'order', call: async ({ subject, payload }) => void fired.push([subject, payload]) },
      {
        kind: 'bad',
        retryDelaysMs: [],
        call: async () => {
          throw new NotRetryable('it never works');
        },
      },
    ],
  });
  await kibble.lifecycle.boot();
  onTestFinished(() => kibble.lifecycle.shutdown());
  const orm = await open(url);
  onTestFinished(() => orm.close());
  return { kibble, pool, orm, clock, fired };
};

const order = (subject: string, more: object = {}) => ({
  ...{ kind: 'order', subject, owner: 'ann', dueAtMs: NOW_MS + HOUR_MS },
  ...more,
});
const key = (subject: string) => ({ kind: 'order', subject });

/** Each call that a transaction has, with each type of value that one of its statements sends or returns. */
const everyCall = async ({ timers, homes }: Kibble, tx: Sql) => {
  const within = timers.within(tx);
  const payload = { hard: HARD, '': '', deep: [[1.5, null, true]], [HARD.join('')]: -1e21 };
  const said: unknown[] = [
    await within.schedule([
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((subject) => order(subject)),
      order('with payload', { payload, misfire: { afterMs: 5, late: 'hand', missed: 'all' } }),
      order('null', { payload: null }),
      ...HARD.map((text) => order(text, { owner: text, payload: text })),
      { kind: 'order', subject: 'daily', owner: 'bob', cron: { expression: '0 4 * * *', timeZone: 'UTC', times: 3 } },
      { kind: 'order', subject: 'soon', owner: 'bob', inMs: 5 },
      order('far', { dueAtMs: 4_000_000_000_000, every: { ms: HOUR_MS, untilMs: 4_100_000_000_000 } }),
      order('a'),
    ]),
    await within.scheduleOrMove([order('a', { dueAtMs: NOW_MS + 5, payload }), order('new', { payload: [] })]),
    await within.shift([
      { ...key('b'), byMs: -HOUR_MS },
      { ...key('nothing'), byMs: 1 },
    ]),
    await within.reschedule([{ ...key('c'), inMs: 7 }]),
    await within.setPayload([
      { ...key('d'), payload: null },
      { ...key('with payload'), payload: HARD },
    ]),
    await within.pause([key('e')]),
    await within.resume([key('e')]),
    await within.fireNow([key('daily')]),
    await within.complete([{ ...key('f'), result: payload }]),
    await within.complete([{ ...key('f') }]),
    await within.cancel([key('null')]),
    await within.shiftByOwner(['bob', ...HARD], 11, { kinds: ['order'] }),
    await within.cancelByOwner([',', '\\']),
    await within.shiftByKind(['order'], 13),
    await within.revive([{ kind: 'bad', subject: 'dead' }]),
    await within.complete([{ kind: 'bad', subject: 'dead too', result: 5 }]),
    await within.cancel([key('b')], { idempotencyKey: `${HARD.join()} key` }),
    await within.cancel([key('b')], { idempotencyKey: `${HARD.join()} key` }),
  ];
  const grant = { playerId: 'ann', commandId: 'grant-1-of-ann', items: { 'dog-food': 3 }, reason: '"{,}\\ $1 ?' };
  const handled = [
    await homes.grant([grant, { ...grant, playerId: 'new:one', commandId: 'grant-2-of-ann' }], { tx }),
    await homes.grant([grant], { tx }),
    await homes.take([{ ...grant, commandId: 'take-1-of-ann', items: { 'dog-food': 1000 } }], { tx }),
    await homes.handle(
      [
        {
          playerId: 'ann',
          type: 'home:adopt',
          payload: { commandId: 'adopt-1-of-ann', species: 'dog', name: 'Rex "{,}\\' },
        },
        {
          playerId: 'ann',
          type: 'home:feed',
          payload: { commandId: 'feed-01-of-ann', petId: 'ann~p4', food: 'dog-food' },
        },
      ] as never,
      { tx },
    ),
  ];
  const afterCommit = async (): Promise<void> => {
    await within.afterCommit();
    for (const each of handled) each.afterCommit();
  };
  return { said: [...said, ...handled.map(({ outcomes }) => outcomes)], afterCommit };
};

/** Two timers that are dead, and a home that is no new one. */
const prepare = async ({ kibble }: Awaited<ReturnType<typeof gameWith>>): Promise<void> => {
  const dead = ['dead', 'dead too'].map((subject) => ({ ...order(subject), kind: 'bad', dueAtMs: NOW_MS }));
  await kibble.timers.schedule(dead);
  await kibble.runDue();
  await kibble.homes.grant([{ playerId: 'ann', commandId: 'begin-1-of-ann', items: { snack: 1 }, reason: 'to begin' }]);
};

/** All that a game can see of its timers and homes. */
const seen = async ({ kibble, pool }: Awaited<ReturnType<typeof gameWith>>) => ({
  homes: (await kibble.homes.look(['ann', 'new:one'])).map(({ home }) => home),
  rows: (await pool.query('select * from kibble.timers order by id')).rows,
  commands: (await pool.query('select * from kibble.timer_command order by id')).rows,
});

/** A connection of `pg` itself. */
const pgItself = (url: string): Orm => {
  const opened = orms.TypeORM?.(url);
  return {
    transaction: async (work) => (await (opened as Promise<Orm>)).transaction(work),
    close: async () => (await (opened as Promise<Orm>)).close(),
  };
};

describe.each(Object.entries(orms))('%s', (_, open) => {
  it('commits every call as a connection of pg does, and what was committed fires', { timeout: 60_000 }, async () => {
    const [game, other] = [await gameWith(open), await gameWith(pgItself)];
    const all = await Promise.all(
      [game, other].map(async (one) => {
        await prepare(one);
        const { said, afterCommit } = await one.orm.transaction((tx) => everyCall(one.kibble, tx));
        await afterCommit();
        return { said, seen: await seen(one) };
      }),
    );
    expect(all[0]?.said.at(-1)).toMatchObject([{ ok: true }, { ok: true }]);
    expect(all[0]?.said).toEqual(all[1]?.said);
    expect(all[0]?.seen).toEqual(all[1]?.seen);

    game.clock.advance(60);
    await game.kibble.runDue();
    expect(game.fired).toContainEqual(['soon', undefined]);
  });

  it('rolls every call back with a row that the ORM wrote by itself, and can be used again', {
    timeout: 60_000,
  }, async () => {
    const game = await gameWith(open);
    await prepare(game);
    const before = await seen(game);
    const told = game.orm.transaction(async (tx, pay) => {
      await pay('ann', 5);
      await everyCall(game.kibble, tx);
      throw new Error('the shop is closed');
    });
    await expect(told).rejects.toThrow('the shop is closed');
    expect(await seen(game)).toEqual(before);
    expect((await game.pool.query('select from gold')).rowCount).toBe(0);

    const { afterCommit } = await game.orm.transaction(async (tx, pay) => {
      await pay('ann', 5);
      return everyCall(game.kibble, tx);
    });
    await afterCommit();
    expect((await game.pool.query('select * from gold')).rows).toEqual([{ owner: 'ann', amount: '5' }]);
    expect(await seen(game)).not.toEqual(before);
  });

  it('commits nothing of a call of homes that failed, where the caller catches its error', async () => {
    const game = await gameWith(open, { modules: [singing] });
    const sing = (playerId: string, tx: Sql) =>
      game.kibble.homes.handle(
        [{ playerId, type: 'hooked:sing', payload: { commandId: `sing-for-${playerId}` } }] as never,
        { tx },
      );
    const sung = await game.orm.transaction(async (tx, pay) => {
      await pay('ann', 5);
      await expect(sing('broken', tx)).rejects.toThrow('planted');
      return sing('ann', tx);
    });
    sung.afterCommit();
    expect((await game.pool.query('select * from gold')).rows).toEqual([{ owner: 'ann', amount: '5' }]);
    expect((await game.pool.query('select * from sung')).rows).toEqual([{ owner: 'ann' }]);
    const { rows } = await game.pool.query(`select player_id from kibble.event where type = 'hooked/sung'`);
    expect(rows).toEqual([{ player_id: 'ann' }]);
  });

  it('fails with the transaction when Postgres refuses a statement, and says why', async () => {
    const game = await gameWith(open);
    const told = game.orm.transaction(async (tx) => {
      await game.kibble.timers.within(tx).schedule([order('a')]);
      await tx.query('insert into gold values ($1, null)', ['ann']);
    });
    // Drizzle puts its own words before it.
    const fault: unknown = await told.catch((error: unknown) => error);
    expect(`${fault} ${(fault as Error).cause}`).toContain('violates not-null constraint');
    expect(await game.kibble.timers.find([key('a')])).toEqual([undefined]);
  });

  it('gives a statement of the game its rows, with every type of value', async () => {
    const game = await gameWith(open);
    const [row, none] = await game.orm.transaction(async (tx) => [
      await tx.query<Record<string, unknown>>(
        `select $1::bigint as big, $2::jsonb as json, $3::text[] as list, $4::bytea as bytes, $5::timestamptz as at,
          $1::bigint + 1 as more`,
        [2 ** 40, JSON.stringify({ a: [1] }), ['a', '{"'], Buffer.from([0, 255]), new Date(NOW_MS).toISOString()],
      ),
      await tx.query('delete from gold where owner = $1', ['nobody']),
    ]);
    const { big, json, list, bytes, at, more } = row?.rows[0] ?? {};
    expect([Number(big), Number(more), json, list]).toEqual([2 ** 40, 2 ** 40 + 1, { a: [1] }, ['a', '{"']]);
    expect([...(bytes as Uint8Array)]).toEqual([0, 255]);
    expect(new Date(at as string).getTime()).toBe(NOW_MS);
    expect(none?.rows).toEqual([]);
    expect(none?.rowCount ?? 0).toBe(0);
  });
});

it('is one transaction in two adapters: calls of both run one after another', () => {
  const drizzle = { execute: async () => [] };
  const template = { raw: String, param: String, join: String };
  expect(fromDrizzle(drizzle, template)).toBe(fromDrizzle(drizzle, template));
  const prisma = { $queryRawUnsafe: async () => [] };
  expect(fromPrisma(prisma)).toBe(fromPrisma(prisma));
  expect(fromPrisma({ ...prisma })).not.toBe(fromPrisma(prisma));
});

it('refuses what is no transaction of the ORM', () => {
  expect(() => fromDrizzle({ query: () => undefined } as never, {} as never)).toThrow(/tx is .*execute\(\)/);
  expect(() => fromPrisma(undefined as never)).toThrow(/\$queryRawUnsafe\(\)/);
});

it('the recipes are those of the page', () => {
  const [page, recipes] = ['docs/transactions.md', 'test/support/orms/recipes.ts'].map((file) =>
    readFileSync(path.join(import.meta.dirname, '../../..', file), 'utf8'),
  );
  const own = recipes?.split(/^export /m).slice(1) ?? [];
  expect(own).toHaveLength(2);
  for (const recipe of own) expect(page).toContain(recipe.trim());
});

describe('a tx that is no transaction', () => {
  const game = () => gameWith(() => ({ close: async () => undefined }) as never);
  const gift = { playerId: 'ann', commandId: 'gift-of-ann', items: { snack: 1 }, reason: 'a gift' };

  it('is refused before anything is written: a pool, and a client without begin', async () => {
    const { kibble, pool } = await game();
    const client = await pool.connect();
    onTestFinished(() => client.release());
    await expect(kibble.homes.grant([gift], { tx: pool })).rejects.toThrow('not the pool');
    expect(() => kibble.timers.within(pool)).toThrow('not the pool');
    await expect(kibble.homes.grant([gift], { tx: client })).rejects.toMatchObject({ code: 'transaction/none' });
    expect((await pool.query('select from kibble.home')).rowCount).toBe(0);
  });

  it('may begin without an await', async () => {
    const { kibble, pool } = await game();
    const client = await pool.connect();
    onTestFinished(() => client.release());
    void client.query('begin');
    const { outcomes, afterCommit } = await kibble.homes.grant([gift], { tx: client });
    await client.query('commit');
    afterCommit();
    expect(outcomes).toMatchObject([{ ok: true }]);
  });
});
