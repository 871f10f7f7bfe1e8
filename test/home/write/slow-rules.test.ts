import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { HomeService } from '../../../server/home/home-service.ts';
import type { Commit } from '../../../server/home/model/commit.ts';
import type { SlowRules } from '../../../server/home/model/home-measurement.ts';
import { MOST_RULES_MS, SLOW_RULES_MS } from '../../../server/home/model/home-measurement.ts';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { limits } from '../../../server/settings/config.ts';
import { type Puppet, type PuppetTurn, puppet } from '../../support/modules/puppet.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

const TOO_LONG_MS = SLOW_RULES_MS + 1;

/** The game's time, and what a stopwatch beside it shows: rules move that one by as much as they are told to take. */
let clock: ManualClock;
let watch: ManualClock;
/** For which part of that the process has the processor, and for how long it had. */
let share: number;
let usedMs: number;
let slow: SlowRules[];
let database: HomeDatabase;
let homes: HomeService;
let count = 0;

/** Of the rules that are slow, so many are before they are mended. */
let slowTurns: number;

const take = ({ note = '0' }: Puppet): void => {
  if (slowTurns > 0) {
    watch.advance(Number(note));
    usedMs += Number(note) * share;
  }
  slowTurns -= 1;
};

/** To decide takes as long as the first event's note says, to complete or to go on as long as the thing's. */
const slowModule = (name: string) =>
  puppet(name, {
    decide: {
      say: ({ payload: { events } }: { payload: { events: readonly (Puppet & { thing: string })[] } }) => {
        if (events[0]?.thing === 'none') take(events[0]);
        return events;
      },
    },
    complete: ({ id, thing }: PuppetTurn) => {
      take(thing);
      if (id === 'torn') throw new Error('torn');
      return [{ type: 'gone', thing: id }];
    },
    goOn: ({ id, thing, items }: PuppetTurn) => {
      if (!items.wood) return [];
      take(thing);
      return [{ type: 'gone', thing: id }];
    },
  });

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());
beforeEach(() => {
  clock = new ManualClock(1_790_000_000_000);
  watch = new ManualClock(0);
  share = 1;
  usedMs = 0;
  slow = [];
  slowTurns = Number.POSITIVE_INFINITY;
  homes = serviceOf(limits.writePath.eventsPerHome);
});

const serviceOf = (eventsPerHome: number): HomeService => {
  const { pool } = database;
  const modules = new Modules([slowModule('aa'), slowModule('bb')]);
  const { nowMs, monotonicMs } = watch;
  const measured = { nowMs, monotonicMs, cpuMs: () => usedMs };
  const clocked = { pool, schema: 'kibble', nowMs: clock.nowMs };
  return new HomeService({
    modules,
    store: new PostgresHomeStore({ database: new Database(clocked), modules, limits: limits.transaction }),
    updateIndex: () => undefined,
    clock: systemClock,
    limits: { ...limits.writePath, eventsPerHome, pageMax: limits.events.pageMax },
    onFault: () => undefined,
    measure: { clock: measured, observe: () => undefined, slow: (one) => void slow.push(one) },
  });
};

const said = (playerId: string, module: string, events: readonly object[]): HomeOrder => ({
  playerId,
  commandId: `command-${++count}`,
  command: { type: `${module}:say`, events },
});
const set = (thing: string, fields: Puppet = {}) => ({ type: 'set', thing, ...fields });
const isOk = (outcome: { readonly ok: boolean } | undefined) => outcome?.ok;

describe('rules that take longer than the bound in one go', () => {
  it('are told with the player, the command and its module, and the command is done', async () => {
    const outcomes = await homes.handle([
      said('ann', 'aa', [set('quick')]),
      said('ann', 'bb', [set('none', { note: `${TOO_LONG_MS}` })]),
      said('bea', 'aa', [set('quick')]),
    ]);
    expect(outcomes.map(isOk)).toEqual([true, true, true]);
    expect(slow).toEqual([
      { playerId: 'ann', modules: ['bb'], thing: undefined, command: 'bb:say', tookMs: TOO_LONG_MS },
    ]);
  });

  it('are not told of at the bound, nor where several commands reach it together, or what lies between them', async () => {
    const atBound = { note: `${SLOW_RULES_MS}` };
    await homes.handle([said('cleo', 'aa', [set('none', atBound)]), said('cleo', 'aa', [set('none', atBound)])]);
    watch.advance(TOO_LONG_MS);
    await homes.look(['cleo']);
    expect(slow).toEqual([]);
  });

  it('are not told of where the process waited for the processor, and not the rules took so long', async () => {
    share = 0.9;
    const order = said('gus', 'aa', [set('none', { note: `${TOO_LONG_MS}` })]);
    expect((await homes.handle([order])).map(isOk)).toEqual([true]);
    expect(slow).toEqual([]);
  });

  it('are told with the thing that they settled', async () => {
    const dueAtMs = clock.nowMs() + 10;
    await homes.handle([said('dora', 'aa', [set('oven', { dueAtMs, note: `${TOO_LONG_MS}` }), set('idle')])]);
    clock.advance(10);
    await homes.settle(['dora']);
    expect(slow).toEqual([
      { playerId: 'dora', modules: ['aa'], thing: 'oven', command: undefined, tookMs: TOO_LONG_MS },
    ]);
  });

  it('are told with every module that it may be, where settling changed things of several', async () => {
    const dueAtMs = clock.nowMs() + 10;
    await homes.handle([
      said('emma', 'aa', [set('oven', { dueAtMs, note: '150' })]),
      said('emma', 'bb', [set('oven', { dueAtMs, note: '150' })]),
    ]);
    clock.advance(10);
    await homes.look(['emma']);
    expect(slow).toEqual([
      { playerId: 'emma', modules: ['aa', 'bb'], thing: undefined, command: undefined, tookMs: 300 },
    ]);
  });

  it('are told with the thing on which they failed in the end', async () => {
    const dueAtMs = clock.nowMs() + 10;
    await homes.handle([said('fay', 'bb', [set('torn', { dueAtMs, note: `${TOO_LONG_MS}` })])]);
    clock.advance(10);
    const [view] = await homes.look(['fay']);
    expect(view?.fault).toEqual({ module: 'bb', thing: 'torn' });
    expect(slow).toMatchObject([{ playerId: 'fay', modules: ['bb'], thing: 'torn', tookMs: TOO_LONG_MS }]);
  });

  it('are told of a quote, and of a command in a transaction of the game', async () => {
    const order = said('gwen', 'aa', [set('none', { note: `${TOO_LONG_MS}` })]);
    await homes.quote('gwen', order.command as never);
    const client = await database.pool.connect();
    await client.query('begin');
    await homes.handleIn(client, [order]);
    await client.query('rollback');
    client.release();
    const told = { playerId: 'gwen', modules: ['aa'], thing: undefined, command: 'aa:say', tookMs: TOO_LONG_MS };
    expect(slow).toEqual([told, told]);
  });

  it('are told with all modules where the engine gives what any of them may have waited for', async () => {
    await homes.handle([said('hal', 'bb', [set('oven', { sinceMs: 1, note: `${TOO_LONG_MS}` })])]);
    const command = { type: 'home:grant', items: { wood: 1 }, reason: 'gift' };
    const [outcome] = await homes.handle([{ playerId: 'hal', commandId: `command-${++count}`, command }]);
    expect(outcome).toMatchObject({ ok: true, value: { events: [{ type: 'items-granted' }, { type: 'bb/gone' }] } });
    expect(slow).toMatchObject([{ modules: ['aa', 'bb'], command: 'home:grant' }]);
  });

  it('are counted for each slice of a long settle by itself', async () => {
    const dueAtMs = clock.nowMs() + 10;
    const things = Array.from({ length: 12 }, (_, at) => set(`oven${at}`, { dueAtMs: dueAtMs + at, note: '50' }));
    await homes.handle([said('ida', 'aa', things), said('jon', 'aa', things)]);
    clock.advance(1_000);
    const [view] = await serviceOf(3).look(['ida']);
    expect(view?.home.things).toEqual({});
    expect(slow).toEqual([]);
    await serviceOf(1_000).look(['jon']);
    expect(slow).toMatchObject([{ playerId: 'jon', modules: ['aa'], thing: undefined, tookMs: 600 }]);
  });
});

describe('rules that run for longer than a transaction may', () => {
  const endless = { note: `${MOST_RULES_MS + 1}` };
  const logOf = async (playerId: string) => {
    const read = await homes.sync(playerId, { afterSeq: 0 });
    return read.ok ? read.value.events.map(({ type }) => type) : [];
  };

  it('cost the one command: it is refused with module/fault, and the others are done', async () => {
    const outcomes = await homes.handle([
      said('kim', 'aa', [set('before')]),
      said('kim', 'bb', [set('none', endless)]),
      said('kim', 'aa', [set('after')]),
      said('lea', 'aa', [set('quick')]),
    ]);
    expect(outcomes).toMatchObject([
      { ok: true },
      { ok: false, error: { code: 'module/fault', params: { module: 'bb' }, retryable: false } },
      { ok: true },
      { ok: true },
    ]);
    expect(await logOf('kim')).toEqual(['items-granted', 'aa/set', 'aa/set']);
    expect(slow).toContainEqual(expect.objectContaining({ playerId: 'kim', command: 'bb:say' }));
  });

  it('make the home stand still where it settles, until they are mended, and lose nothing', async () => {
    const dueAtMs = clock.nowMs() + 10;
    await homes.handle([said('mia', 'aa', [set('oven', { dueAtMs, ...endless })]), said('nick', 'aa', [set('quick')])]);
    clock.advance(10);
    const order = said('mia', 'aa', [set('other')]);
    const [[refused, done], [view]] = await Promise.all([
      homes.handle([order, said('nick', 'aa', [set('quick')])]),
      homes.look(['mia']),
    ]);
    expect(refused).toMatchObject({ ok: false, error: { code: 'module/fault', params: { module: 'aa' } } });
    expect(isOk(done)).toBe(true);
    expect(view?.fault).toEqual({ module: 'aa', thing: 'oven' });
    expect((await homes.settle(['mia'])).unsettled).toMatchObject([{ owner: 'mia', isLocked: false }]);
    expect(await logOf('mia')).toEqual(['items-granted', 'aa/set']);

    slowTurns = 0;
    expect((await homes.handle([order])).map(isOk)).toEqual([true]);
    expect(await logOf('mia')).toEqual(['items-granted', 'aa/set', 'aa/gone', 'aa/set']);
  });

  it('leave a command that was accepted before its first reply, and any other its refusal', async () => {
    for (const thing of ['torn', 'oven']) {
      const playerId = `lost-${thing}`;
      const order = said(playerId, 'aa', [
        set(thing, { dueAtMs: clock.nowMs() + 10, ...(thing === 'oven' && endless) }),
      ]);
      const [first] = await homes.handle([order]);
      expect(isOk(first)).toBe(true);
      clock.advance(10);
      const commits: Commit[] = [];
      homes.follow(playerId, (commit) => commits.push(commit));
      const other = { ...said(playerId, 'aa', [set('other')]), commandId: order.commandId };
      const outcomes = await homes.handle([order, said(playerId, 'aa', [set('new')]), other]);
      expect(outcomes).toEqual([
        first,
        { ok: false, error: expect.objectContaining({ code: 'module/fault' }) },
        { ok: false, error: expect.objectContaining({ code: 'command/reused' }) },
      ]);
      expect(commits).toMatchObject([
        { events: [], fault: { thing }, answers: [{ commandId: order.commandId, fromSeq: 2 }] },
      ]);
    }
  });

  it('are no fault where it was the machine that stood still: the same command is tried once more', async () => {
    slowTurns = 1;
    expect((await homes.handle([said('rob', 'aa', [set('none', endless)])])).map(isOk)).toEqual([true]);
  });

  it('are no fault where it took many homes: each is done in a smaller batch', async () => {
    const orders = Array.from({ length: 10 }, (_, at) => said(`olga${at}`, 'aa', [set('none', { note: '190' })]));
    expect((await homes.handle(orders)).map(isOk)).toEqual(orders.map(() => true));
    expect(slow).toEqual([]);
  });

  it('are no fault where it took many commands of one player', async () => {
    const orders = Array.from({ length: 10 }, () => said('pia', 'aa', [set('none', { note: '190' })]));
    expect((await homes.handle(orders)).map(isOk)).toEqual(orders.map(() => true));
  });
});
