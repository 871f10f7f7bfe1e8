import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { isDataFault } from '../../../server/adapter/postgres/world-fault.ts';
import { ModuleFault } from '../../../server/domain/module-fault.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { StoreFault } from '../../../server/home/model/faults.ts';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import { homeDifferences } from '../../../server/ops/offline/verify.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { limits } from '../../../server/settings/config.ts';
import { reportFaults } from '../../../server/wiring/wire-homes.ts';
import { newHome } from '../../../shared/home.ts';
import { puppet } from '../../support/modules/puppet.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

const modules = new Modules([puppet('aa', { title: () => 'x'.repeat(10) })]);
let database: HomeDatabase;
const faults: { readonly message: string; readonly error: unknown }[] = [];
beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  // As a database that holds less than the rules return: no schema of ours refuses these, but a game's may.
  await database.pool.query("alter table kibble.thing add constraint short check (thing_id <> 'refused')");
});
afterAll(() => database.drop());

const say = (playerId: string, thing: string, commandId = `say-${playerId}-${thing}`): HomeOrder => ({
  playerId,
  commandId,
  command: { type: 'aa:say', events: [{ type: 'set', thing }] },
});
const service = (own = modules) => {
  const { pool } = database;
  const store = new PostgresHomeStore({
    database: new Database({ pool, schema: 'kibble' }),
    modules: own,
    limits: limits.transaction,
  });
  const onFault = (message: string, error: unknown) => void faults.push({ message, error });
  return database.service({ modules: own, store, onFault });
};

describe('data that Postgres does not take', () => {
  it('are the fault of the module that made them, not the store’s, and hurt their player alone', async () => {
    faults.length = 0;
    const outcomes = await service().handle([say('ann', 'fine'), say('bad', 'refused'), say('bea', 'fine')]);
    expect(outcomes.map((outcome) => (outcome.ok ? 'done' : outcome.error))).toEqual([
      'done',
      { code: 'module/fault', params: { module: 'aa' }, retryable: false },
      'done',
    ]);
    expect(faults.map(({ error }) => String(error))).toEqual([
      expect.stringMatching(/what the rules return of aa: .*23514/),
    ]);
  });

  it('leave the other commands of the player as they are', async () => {
    const outcomes = await service().handle([say('cleo', 'one'), say('cleo', 'refused'), say('cleo', 'two')]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  it.each(['22P02', '22P05', '22003', '23502', '23514', '54000'])('%s is theirs', (code) => {
    expect(isDataFault(Object.assign(new Error('no'), { code }))).toBe(true);
  });

  it.each(['23505', '40001', '53100', '57014', '42P01', '08006'])('%s is not', (code) => {
    expect(isDataFault(Object.assign(new Error('no'), { code }))).toBe(false);
  });
});

describe('a home whose rule fails', () => {
  it.each(['open', 'starter', 'dueAtMs'])(
    'in %s is shown all the same, and others beside it are not hurt',
    async (rule) => {
      const [before] = await service().look(['ann']);
      faults.length = 0;
      const torn = new Modules([puppet('aa', { [rule]: () => Promise.reject(new Error('torn')) })]);
      const [ann, nobody] = await service(torn).look(['ann', `nobody-${rule}`]);
      expect([ann?.home.seq, nobody?.home.seq]).toEqual([before?.home.seq, 0]);
      expect(faults).toMatchObject([{ error: expect.any(ModuleFault) }]);
    },
  );
});

it('a command that was done is accepted again where its module can no longer reply, without the module’s fields', async () => {
  const replying = (reply: () => unknown) => service(new Modules([puppet('aa', { reply })]));
  const [first] = await replying(() => ({ note: 'mine' })).handle([say('dan', 'fine')]);
  const events = await database.store.events('dan', 1, 100);
  const reply = { seq: 2, nowMs: expect.any(Number), events };
  expect(first).toEqual({ ok: true, value: { ...reply, note: 'mine' } });
  faults.length = 0;

  const torn = replying(() => Promise.reject(new Error('torn')));
  const outcomes = await torn.handle([say('dan', 'fine'), say('dan', 'new')]);

  const error = { code: 'module/fault', params: { module: 'aa' }, retryable: false };
  expect(outcomes).toEqual([
    { ok: true, value: reply },
    { ok: false, error },
  ]);
  expect(faults.map(({ error }) => error)).toEqual([expect.any(ModuleFault), expect.any(ModuleFault)]);
  expect(await database.store.events('dan', 1, 100)).toEqual(events);
});

it('a command that was done is accepted again by a process that cannot read its events', async () => {
  const [before] = await service().handle([say('eve', 'fine')]);
  expect(before).toMatchObject({ ok: true });
  const gone: HomeOrder = {
    ...say('eve', 'fine', 'end'),
    command: { type: 'aa:say', events: [{ type: 'gone', thing: 'fine' }] },
  };
  await service().handle([gone]);
  const newer = service(new Modules([puppet('aa', { version: 2 })]));
  faults.length = 0;
  expect(await newer.handle([gone])).toMatchObject([{ ok: true, value: { seq: 3, events: [{ type: 'aa/gone' }] } }]);
  expect(faults.map(({ error }) => error)).toEqual([expect.any(ModuleFault)]);
});

it('an item of more than can be counted is listed by the checker, and breaks nothing', () => {
  const home = { ...newHome('ann'), items: { wood: 2 ** 54 } };
  const found = homeDifferences(modules, { home, checkpoint: home, events: [], dueTimes: [] });
  expect(found).toMatchObject([{ at: 'items.wood', expected: 'at most 9007199254740991', found: 2 ** 54 }]);
});

it('faults stand in the log once a minute for each cause, whoever met them, with the number left out', () => {
  const clock = new ManualClock(0);
  const lines: unknown[] = [];
  const quiet = () => undefined;
  const log = {
    info: quiet,
    warn: quiet,
    error: ({ leftOut }: object & { leftOut?: unknown }, said: string) => lines.push([said, leftOut]),
  };
  const report = reportFaults({ clock, log: log as never });
  const away = () => new StoreFault('down', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
  const torn = (thing: string) => new ModuleFault({ module: 'aa', thing, rule: 'dueAtMs' }, new Error(thing));
  for (const player of ['ann', 'bea', 'cleo']) {
    report('a batch failed', away());
    report(`the home of ${player} stands still`, torn(player));
  }
  clock.advance(60_000);
  report('a batch failed', away());
  expect(lines).toEqual([
    ['a batch failed', 0],
    ['the home of ann stands still', 0],
    ['a batch failed', 2],
  ]);
});
