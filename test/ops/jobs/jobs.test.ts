import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { hostInventory } from '../../../server/adapter/postgres/home/host-inventory.ts';
import { PostgresAuditStore } from '../../../server/adapter/postgres/ops/audit-store.ts';
import { PostgresJobStore } from '../../../server/adapter/postgres/ops/job-store.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { HomeService, type HomeServiceOptions } from '../../../server/home/home-service.ts';
import { MOST_RULES_MS } from '../../../server/home/model/home-measurement.ts';
import type { Inventory } from '../../../server/home/model/inventory.ts';
import { JobRunner } from '../../../server/ops/jobs/job-runner.ts';
import { type OpsDependencies, opsHandlers } from '../../../server/ops/ops.ts';
import type { OpsResult } from '../../../server/ops/perform/ops-call.ts';
import type { Clock } from '../../../server/runtime/clock.ts';
import type { EngineLog } from '../../../server/runtime/engine-log.ts';
import { alwaysExclusive, type Exclusive } from '../../../server/runtime/exclusive.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { limits } from '../../../server/settings/config.ts';
import type { OpsInput } from '../../../shared/ops/acts.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { type OpsServer, START_MS, startOpsServer, why } from '../../support/game/ops-server.ts';
import { recordedLog, silentLog } from '../../support/log/logs.ts';
import { puppet } from '../../support/modules/puppet.ts';
import { TOWN_TABLE, townInventory } from '../../support/town/town-inventory.ts';

let server: OpsServer;
beforeEach(async () => {
  server = await startOpsServer(inject('postgresUrl'));
});
afterEach(() => server.close());

const adopt = async (count: number, species = 'dog'): Promise<void> => {
  for (let at = 0; at < count; at += 1) {
    await server.play(`${species}-${at}`, { type: 'home:adopt', name: 'Rex', species });
  }
};
const snacks = async (playerId: string): Promise<number> =>
  (await server.ask('player', { playerId })).body.items.snack ?? 0;
const job = (filter: object, more: object = {}) => why({ filter, items: { snack: 3 }, perSecond: 8, ...more });
/** Turns until nothing is left to do, at most so often; each turn sleeps in the test's own time. */
const run = async (turns = 100): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) {
    const { jobs } = (await server.ask('jobs')).body;
    if (!jobs.some(({ state }) => state === 'running')) return;
    server.clock.advance(await server.kibble.ops.runJobs());
  }
};

const noParts = { playerId: '', timerId: '', kind: '', module: '' };

/** As in another process that thinks itself alone. */
const runnerOn = (
  pool: Pool,
  {
    mayRun = () => true,
    modules = petsModules(),
    inventory,
    measure,
    log = silentLog,
    exclusive = alwaysExclusive,
    clock = systemClock,
  }: Partial<Pick<HomeServiceOptions, 'modules' | 'measure'>> & {
    readonly clock?: Clock;
    readonly mayRun?: () => boolean;
    readonly inventory?: Inventory;
    readonly log?: EngineLog;
    readonly exclusive?: Exclusive;
  } = {},
): JobRunner => {
  const schema = 'kibble';
  const parts = { timers: new PostgresTimerStore(new Database({ pool, schema })) };
  const homes = new HomeService({
    store: new PostgresHomeStore({
      database: new Database({ pool, schema }),
      modules,
      ...(inventory && { inventory: hostInventory(inventory) }),
      limits: limits.transaction,
      ...parts,
    }),
    modules,
    ...(measure && { measure }),
    clock: systemClock,
    updateIndex: () => undefined,
    onFault: () => undefined,
    mayRun,
    limits: { ...limits.writePath, pageMax: limits.events.pageMax },
  });
  return new JobRunner({
    modules,
    homes,
    clock,
    log,
    exclusive,
    jobs: new PostgresJobStore(new Database({ pool, schema })),
    audit: new PostgresAuditStore(new Database({ pool, schema })),
  });
};

describe('a job', () => {
  it('says on trial whom it would reach, and makes nothing', async () => {
    await adopt(3);
    await adopt(2, 'cat');
    const trial = await server.ask(
      'createJob',
      {},
      job({ things: { module: 'pets', fields: { species: 'cat' } } }, { dryRun: true }),
    );
    expect(trial.body).toMatchObject({ isDryRun: true, answer: { count: 2, sample: ['cat-0', 'cat-1'] } });
    expect((await server.ask('jobs')).body.jobs).toEqual([]);
  });

  it('gives each player once, at its pace, in the log and in the audit', async () => {
    await adopt(5);
    const body = job({ things: { module: 'pets' } });
    const made = await server.ask('createJob', {}, body);
    expect(made.body.answer).toMatchObject({ count: 5, job: { state: 'running', total: 5, done: 0 } });
    expect((await server.ask('createJob', {}, body)).body.answer).toMatchObject({ count: 5 });
    // A quarter of a second's players at a time.
    expect(await server.kibble.ops.runJobs()).toBe(250);
    const jobId = body.commandId;
    expect((await server.ask('job', { jobId })).body).toMatchObject({ done: 2, state: 'running' });
    await run();
    expect((await server.ask('job', { jobId })).body).toMatchObject({ done: 5, refused: 0, total: 5, state: 'done' });
    for (let at = 0; at < 5; at += 1) expect(await snacks(`dog-${at}`)).toBe(3);
    const { entries } = (await server.ask('audit', {}, { target: 'player:dog-3' })).body;
    expect(entries).toMatchObject([{ action: 'grant', commandId: jobId, actor: 'the-admin' }]);
    const log = (await server.ask('log', { playerId: 'dog-3' })).body.entries;
    expect(log[0]).toMatchObject({ actor: 'the-admin', event: { type: 'items-granted', reason: body.reason } });
  });

  it('stops where it is, and goes on from there', async () => {
    await adopt(5);
    const body = job({});
    const jobId = body.commandId;
    await server.ask('createJob', {}, body);
    await server.kibble.ops.runJobs();
    const trial = await server.ask('stopJob', { jobId }, why({ dryRun: true }));
    expect(trial.body).toMatchObject({ isDryRun: true, answer: { state: 'stopped', done: 2 } });
    expect((await server.ask('job', { jobId })).body).toMatchObject({ state: 'running' });
    const stopped = await server.ask('stopJob', { jobId }, why());
    expect(stopped.body.answer).toMatchObject({ state: 'stopped', done: 2 });
    await run();
    expect((await server.ask('job', { jobId })).body).toMatchObject({ state: 'stopped', done: 2 });
    expect((await server.ask('stopJob', { jobId }, why())).body.code).toBe('job/stopped');
    await server.ask('resumeJob', { jobId }, why());
    await run();
    expect((await server.ask('job', { jobId })).body).toMatchObject({ state: 'done', done: 5 });
    expect((await server.ask('resumeJob', { jobId }, why())).body.code).toBe('job/done');
  });

  it('that is made, stopped or resumed while jobs cannot be counted is so; the repetition has the result', async () => {
    await adopt(2);
    const on = new Database({ pool: server.pool, schema: 'kibble' });
    const jobs = new PostgresJobStore(on);
    const parts = { audit: new PostgresAuditStore(on), jobs, wakeJobs: () => undefined };
    const handlers = opsHandlers(parts as Partial<OpsDependencies> as OpsDependencies);
    const uncounted = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    const { commandId: jobId, ...order } = job({}) as OpsInput<'createJob'>;
    const call = { operator: { name: 'ada', role: 'admin' }, parts: { ...noParts, jobId } } as const;
    const twice = async <Answer>(commandId: string, act: () => Promise<OpsResult<Answer>>) => {
      vi.spyOn(jobs, 'list').mockRejectedValueOnce(uncounted);
      const refusal = { code: 'server/unavailable', params: { commandId } };
      expect(await act()).toMatchObject({ ok: false, error: refusal });
      return act();
    };
    const made = await twice(jobId, () => handlers.createJob({ ...call, input: { ...order, commandId: jobId } }));
    expect(made).toMatchObject({ ok: true, value: { answer: { count: 2, job: { jobId, state: 'running' } } } });
    for (const [name, state] of [
      ['stopJob', 'stopped'],
      ['resumeJob', 'running'],
    ] as const) {
      const input = why();
      const turned = await twice(input.commandId, () => handlers[name]({ ...call, input }));
      expect(turned).toMatchObject({ ok: true, value: { answer: { state, total: 2 } } });
    }
  });

  it('survives the process that runs it: another one goes on', async () => {
    await adopt(5);
    const body = job({});
    await server.ask('createJob', {}, body);
    await server.kibble.ops.runJobs();
    await server.stop();
    server = await startOpsServer(inject('postgresUrl'), { database: server.database });
    await run();
    expect((await server.ask('job', { jobId: body.commandId })).body).toMatchObject({ state: 'done', done: 5 });
    for (let at = 0; at < 5; at += 1) expect(await snacks(`dog-${at}`)).toBe(3);
  });

  it('gives each player once while two processes run it, each sure that it is alone', async () => {
    await adopt(9);
    const body = job({}, { perSecond: 100 });
    await server.ask('createJob', {}, body);
    const pool = createPool({ url: server.database.url, max: 4, log: silentLog });
    onTestFinished(() => pool.end());
    const [first, second] = [runnerOn(pool), runnerOn(pool)];
    const jobId = body.commandId;
    while ((await server.ask('job', { jobId })).body.state === 'running') {
      await Promise.all([first.tick(), second.tick()]);
    }
    expect((await server.ask('job', { jobId })).body).toMatchObject({ state: 'done', done: 9, refused: 0 });
    for (let at = 0; at < 9; at += 1) expect(await snacks(`dog-${at}`)).toBe(3);
  });

  it('leaves its players waiting while its process may not work on the homes', async () => {
    await adopt(3);
    const body = job({}, { perSecond: 100 });
    const jobId = body.commandId;
    await server.ask('createJob', {}, body);
    let mayRun = false;
    const runner = runnerOn(server.pool, { mayRun: () => mayRun });
    // First as a batch, then one by one.
    expect(await runner.tick()).toBe(2000);
    await expect(runner.tick()).rejects.toThrow('server/unavailable');
    expect((await server.ask('job', { jobId })).body).toMatchObject({ state: 'running', done: 0, refused: 0 });
    mayRun = true;
    for (let turn = 0; turn < 3; turn += 1) await runner.tick();
    expect((await server.ask('job', { jobId })).body).toMatchObject({ done: 3, refused: 0 });
  });

  it('reaches a player whose rows are locked once too often', async () => {
    await adopt(2);
    const body = job({}, { perSecond: 100 });
    await server.ask('createJob', {}, body);
    let locks = 2;
    const town = townInventory();
    const load: Inventory['load'] = async (tx, playerIds) => {
      if (locks-- > 0) await tx.query("do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$");
      return town.load(tx, playerIds);
    };
    await server.pool.query(TOWN_TABLE);
    const runner = runnerOn(server.pool, { inventory: { ...town, load } });
    await runner.tick();
    await expect(runner.tick()).rejects.toThrow('deadlock');
    await runner.tick();
    await runner.tick();
    expect((await server.ask('job', { jobId: body.commandId })).body).toMatchObject({ done: 2, refused: 0 });
  });

  it('tries the players of a failed batch one by one, and then goes on in batches', async () => {
    await adopt(30);
    const body = job({}, { perSecond: 100 });
    await server.ask('createJob', {}, body);
    const batches: number[] = [];
    const town = townInventory();
    const load: Inventory['load'] = async (tx, playerIds) => {
      batches.push(playerIds.length);
      if (playerIds.includes('dog-7')) throw new Error('no such player');
      return town.load(tx, playerIds);
    };
    await server.pool.query(TOWN_TABLE);
    const runner = runnerOn(server.pool, { inventory: { ...town, load } });
    for (let turn = 0; turn < 29; turn += 1) await runner.tick();
    expect((await server.ask('job', { jobId: body.commandId })).body).toMatchObject({ state: 'done', done: 29 });
    expect(batches.filter((size) => size > 1)).toEqual([25, 5]);
  });

  it('refuses what it would give to a home that was merged away meanwhile', async () => {
    await adopt(2);
    const body = job({}, { perSecond: 100 });
    await server.ask('createJob', {}, body);
    await server.ask('merge', { playerId: 'dog-0' }, why({ into: 'account', isNew: true }));
    await run();
    expect((await server.ask('job', { jobId: body.commandId })).body).toMatchObject({
      state: 'done',
      done: 1,
      refusals: { 'player/merged': 1 },
    });
    expect(await snacks('dog-0')).toBe(0);
    await server.ask('unfreeze', { playerId: 'dog-0' }, why());
    await server.ask('createJob', {}, job({ playerIds: ['dog-0'] }));
    await run();
    expect(await snacks('dog-0')).toBe(3);
  });

  it('is refused for a module that there is not: all players would lack it', async () => {
    await adopt(1);
    const things = { module: 'pet', isMissing: true };
    for (const dryRun of [true, false]) {
      expect(await server.ask('createJob', {}, job({ things }, { dryRun }))).toMatchObject({
        status: 404,
        body: { code: 'module/unknown', params: { module: 'pet' } },
      });
    }
    expect((await server.ask('jobs')).body.jobs).toEqual([]);
  });

  it('leaves out a player whose rules run too long, and no other player', async () => {
    const watch = new ManualClock(0);
    const complete = ({ id }: { readonly id: string }) => {
      watch.advance(MOST_RULES_MS + 1);
      return [{ type: 'gone', thing: id }];
    };
    const body = job({}, { perSecond: 100, items: { wood: 1 } });
    const game = await startOpsServer(inject('postgresUrl'), { modules: [puppet('aa')] });
    onTestFinished(() => game.close());
    for (const playerId of ['ann', 'bea', 'cas']) {
      await game.play(playerId, { type: 'home:grant', items: { gold: 1 }, reason: 'opens a home' });
    }
    await game.play('bea', { type: 'aa:say', events: [{ type: 'set', thing: 'x', dueAtMs: START_MS + 1 }] } as never);
    await game.ask('createJob', {}, body);
    const modules = new Modules([puppet('aa', { complete })]);
    const runner = runnerOn(game.pool, {
      modules,
      measure: { clock: watch, observe: () => undefined, slow: () => undefined },
    });
    for (let turn = 0; turn < 6; turn += 1) await runner.tick();
    expect((await game.ask('job', { jobId: body.commandId })).body).toMatchObject({
      state: 'done',
      done: 2,
      refused: 1,
      refusals: { 'server/failed': 1 },
    });
  });

  it('keeps players waiting whose homes only a newer release can read: others and younger jobs go first', async () => {
    const newer = await startOpsServer(inject('postgresUrl'), { modules: [puppet('aa'), puppet('bb')] });
    onTestFinished(() => newer.close());
    const made = ['ann', 'bea', 'cas', 'dan', 'eve'];
    for (const playerId of made) {
      await newer.play(playerId, { type: 'home:grant', items: { gold: 1 }, reason: 'opens a home' });
    }
    for (const playerId of ['bea', 'cas']) {
      await newer.play(playerId, { type: 'bb:say', events: [{ type: 'set', thing: 'x' }] } as never);
    }
    const [first, second] = [job({}, { items: { wood: 1 } }), job({ playerIds: ['ann'] }, { items: { wood: 1 } })];
    for (const body of [first, second]) {
      await newer.ask('createJob', {}, body);
      newer.clock.advance(1);
    }
    await newer.pool.query(TOWN_TABLE);
    const town = townInventory();
    const load: Inventory['load'] = async (tx, playerIds) => {
      if (playerIds.includes('dan')) throw new Error('no such player');
      return town.load(tx, playerIds);
    };
    let released = 0;
    const { log, lines } = recordedLog();
    const older = runnerOn(newer.pool, {
      modules: new Modules([puppet('aa')]),
      inventory: { ...town, load },
      log,
      exclusive: {
        tryLock: async () => true,
        release: async () => {
          released += 1;
        },
      },
    });
    const stateOf = async (jobId: string) => (await newer.ask('job', { jobId })).body;
    for (let turn = 0; turn < 40; turn += 1) await older.tick();
    expect(await stateOf(first.commandId)).toMatchObject({
      state: 'running',
      done: 2,
      total: 5,
      refusals: { 'server/failed': 1 },
    });
    expect(await stateOf(second.commandId)).toMatchObject({ state: 'done', done: 1 });
    expect(released).toBeGreaterThan(1);
    const waiting = 'players of a job stay waiting: this process cannot read their homes';
    expect(lines.filter(({ message }) => message === waiting)).toHaveLength(1);
    for (let turn = 0; turn < 4; turn += 1) await newer.kibble.ops.runJobs();
    expect(await stateOf(first.commandId)).toMatchObject({ state: 'done', done: 4, refused: 1 });
    expect((await newer.ask('player', { playerId: 'cas' })).body.items).toMatchObject({ wood: 1 });
  });

  it('lets a younger job in before it has passed over all such players, and goes on behind them', async () => {
    await adopt(31);
    await adopt(40, 'cat');
    const dogs = Array.from({ length: 31 }, (_, at) => `dog-${at}`);
    const cats = Array.from({ length: 40 }, (_, at) => `cat-${at}`);
    const [older, younger] = [job({ playerIds: dogs }), job({ playerIds: cats })];
    for (const body of [older, younger]) {
      await server.ask('createJob', {}, body);
      server.clock.advance(1);
    }
    // All dogs but the last one by id.
    await server.pool.query(
      "update kibble.thing set version = version + 1 where player_id like 'dog-%' and player_id <> 'dog-9'",
    );
    const clock = new ManualClock(0);
    const runner = runnerOn(server.pool, { clock });
    const doneOf = async ({ commandId }: { readonly commandId: string }) =>
      (await server.ask('job', { jobId: commandId })).body.done;
    const runUntil = async (body: { readonly commandId: string }): Promise<void> => {
      for (let turn = 0; turn < 80 && (await doneOf(body)) === 0; turn += 1) await runner.tick();
    };
    await runUntil(younger);
    expect([await doneOf(older), await doneOf(younger)]).toEqual([0, expect.toBeOneOf([1, 2])]);
    clock.advance(60_000);
    await runUntil(older);
    expect(await doneOf(older)).toBe(1);
    expect(await doneOf(younger)).toBeLessThan(40);
  });

  it('with players who wait for a newer release can be stopped', async () => {
    await adopt(2);
    const body = job({});
    await server.ask('createJob', {}, body);
    await server.pool.query("update kibble.thing set version = version + 1 where player_id = 'dog-0'");
    const runner = runnerOn(server.pool);
    for (let turn = 0; turn < 8; turn += 1) await runner.tick();
    const stopped = await server.ask('stopJob', { jobId: body.commandId }, why());
    expect(stopped.body.answer).toMatchObject({ state: 'stopped', done: 1, refused: 0, total: 2 });
    await server.pool.query("update kibble.thing set version = version - 1 where player_id = 'dog-0'");
    await server.ask('resumeJob', { jobId: body.commandId }, why());
    for (let turn = 0; turn < 8; turn += 1) await runner.tick();
    expect(await snacks('dog-0')).toBe(3);
  });

  it('gives nobody twice, also when it forgets whom it has reached', async () => {
    await adopt(3);
    const body = job({});
    await server.ask('createJob', {}, body);
    await run();
    const { Client } = await import('pg');
    const client = new Client({ connectionString: server.database.url });
    await client.connect();
    await client.query(
      "update kibble.job_target set state = 'waiting'; update kibble.job set state = 'running', done = 0",
    );
    await client.end();
    await run();
    expect(await snacks('dog-1')).toBe(3);
    expect((await server.ask('job', { jobId: body.commandId })).body).toMatchObject({ state: 'done', done: 3 });
  });

  it('reaches those that fit all of its filter', async () => {
    await adopt(3);
    await server.play('nobody', { type: 'home:grant', items: { snack: 1 }, reason: 'opens a home' });
    const count = async (filter: object): Promise<number | string> => {
      const { status, body } = await server.ask('createJob', {}, job(filter, { dryRun: true }));
      if (status === 200) return body.answer.count;
      return body.code === 'job/empty' ? 0 : `${status} ${body.code}`;
    };
    const now = server.clock.nowMs();
    expect(await count({})).toBe(4);
    const pets = (more: object = {}) => ({ things: { module: 'pets', ...more } });
    expect(await count(pets())).toBe(3);
    expect(await count(pets({ isMissing: true }))).toBe(1);
    expect(await count({ playerIds: ['dog-1', 'nobody', 'unknown'] })).toBe(2);
    expect(await count({ playerIds: ['dog-1', 'nobody'], ...pets() })).toBe(1);
    expect(await count(pets({ fields: { species: 'dog', xp: 0 } }))).toBe(3);
    expect(await count(pets({ fields: { species: 'dog', xp: 1 } }))).toBe(0);
    expect(await count(pets({ fields: { species: 'cat' }, isMissing: true }))).toBe(4);
    expect(await count(pets({ atLeast: { xp: 0 } }))).toBe(3);
    expect(await count(pets({ atLeast: { xp: 1 } }))).toBe(0);
    // A value that is no number is never enough, nor is a missing field.
    expect(await count(pets({ atLeast: { name: 0 } }))).toBe(0);
    expect(await count(pets({ atLeast: { mana: 0 } }))).toBe(0);
    expect(await count({ things: { module: 'castle' } })).toBe('404 module/unknown');
    expect(await count({ seenFromMs: now })).toBe(4);
    expect(await count({ seenToMs: now })).toBe(0);
  });

  it('no longer counts a player who is erased before the job reaches the player', async () => {
    await adopt(3);
    const body = job({});
    await server.ask('createJob', {}, body);
    await server.ask('erase', { playerId: 'dog-1' }, why({}));
    expect((await server.ask('job', { jobId: body.commandId })).body).toMatchObject({ state: 'running', total: 3 });
    await run();
    expect((await server.ask('job', { jobId: body.commandId })).body).toMatchObject({
      state: 'done',
      done: 2,
      total: 2,
    });
  });

  it('counts who could not be given anything, with the reason', async () => {
    await adopt(2);
    const body = job({}, { items: { unicorn: 1 } });
    await server.ask('createJob', {}, body);
    await run();
    expect((await server.ask('job', { jobId: body.commandId })).body).toMatchObject({
      state: 'done',
      done: 0,
      refused: 2,
      refusals: { 'item/unknown': 2 },
    });
  });
});
