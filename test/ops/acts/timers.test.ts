import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { NotRetryable } from '../../../server/timer/fire/not-retryable.ts';
import { HOUR_MS, type OpsServer, START_MS, startOpsServer, why } from '../../support/game/ops-server.ts';

let server: OpsServer;
let isBroken = false;
const fired: string[] = [];
const LONGEST_KIND = 'k'.repeat(512);

beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'), {
    kinds: [
      {
        kind: 'order',
        fire: async (timers) => {
          if (isBroken) throw new NotRetryable('no such order');
          fired.push(...timers.map(({ subject }) => subject));
          return undefined;
        },
      },
      { kind: LONGEST_KIND, fire: async () => undefined },
    ],
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  isBroken = false;
  fired.length = 0;
  await server.kibble.timers.cancelByOwner(['ann', 'bea']);
});

let subjects = 0;
const schedule = async (count: number, options: { owner?: string; inMs?: number } = {}): Promise<readonly string[]> => {
  const { owner = 'ann', inMs = HOUR_MS } = options;
  const wanted = Array.from({ length: count }, (_, at) => ({
    kind: 'order',
    subject: `order-${++subjects}`,
    owner,
    dueAtMs: server.clock.nowMs() + inMs + at,
  }));
  const outcomes = await server.kibble.timers.schedule(wanted);
  return outcomes.map((outcome) => ('timer' in outcome ? outcome.timer.id : ''));
};

describe('a list of timers', () => {
  it('has as many entries as its count says, over all its pages, each once and in order', async () => {
    await schedule(23);
    await schedule(4, { owner: 'bea' });
    const seen: string[] = [];
    const times: number[] = [];
    let count = -1;
    for (let after: string | undefined; ; ) {
      const input = { owner: 'ann', limit: '5', ...(after === undefined ? {} : { after }) };
      const { body } = await server.ask('timers', {}, input);
      seen.push(...body.timers.map(({ timerId }) => timerId));
      times.push(...body.timers.map(({ fireAtMs }) => fireAtMs));
      count = body.count;
      after = body.next;
      if (after === undefined) break;
    }
    expect(count).toBe(23);
    expect(seen).toHaveLength(23);
    expect(new Set(seen).size).toBe(23);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('takes state, kind and window, and the histogram’s buckets are lists', async () => {
    await schedule(3, { inMs: HOUR_MS / 24 });
    await schedule(2, { inMs: HOUR_MS / 2 });
    await schedule(1, { inMs: 30 * HOUR_MS });
    for (const window of ['1h', '24h', '7d'] as const) {
      const { body } = await server.ask('upcoming', {}, { window });
      for (const { fromMs, toMs, count } of body.buckets) {
        const list = await server.ask('timers', {}, { fromMs: `${fromMs}`, toMs: `${toMs}` });
        expect(list.body.count).toBe(count);
        expect(list.body.timers).toHaveLength(count);
      }
      const inWindow = body.buckets.reduce((sum, { count }) => sum + count, 0);
      expect(inWindow + body.later + body.overdue).toBe(6);
    }
    expect((await server.ask('timers', {}, { kind: 'other' })).body.count).toBe(0);
  });

  it('shows what ended, the latest first', async () => {
    const [, second = ''] = await schedule(3, { inMs: 0 });
    await server.ask('cancelTimer', { timerId: second }, why());
    await server.kibble.runDue();
    const completed = await server.ask('timers', {}, { state: 'completed', owner: 'ann' });
    const cancelled = await server.ask('timers', {}, { state: 'cancelled', kind: 'order', limit: '1' });
    expect(completed.body.count).toBe(completed.body.timers.length);
    expect(completed.body.count).toBeGreaterThan(0);
    expect(cancelled.body.timers[0]?.timerId).toBe(second);
  });
});

describe('an operator acts on a timer of an own kind', () => {
  it('shifts it, fires it now, cancels it; each is in the audit', async () => {
    const [timerId = ''] = await schedule(1);
    const before = server.clock.nowMs() + HOUR_MS;
    const shifted = await server.ask('shiftTimer', { timerId }, why({ byMs: HOUR_MS }), 'support');
    expect(shifted.body.answer).toMatchObject({ timerId, dueAtMs: before + HOUR_MS, state: 'scheduled' });
    const firedNow = await server.ask('fireTimer', { timerId }, why());
    expect(firedNow.body.answer.dueAtMs).toBe(server.clock.nowMs());
    await server.kibble.runDue();
    expect(fired).toHaveLength(1);
    const late = await server.ask('cancelTimer', { timerId }, why());
    expect(late).toMatchObject({ status: 409, body: { code: 'timer/already-fired' } });
    const explained = (await server.ask('explainTimer', { timerId })).body;
    expect(explained.timer.state).toBe('completed');
    expect(explained.audit.map(({ action, actor }) => [action, actor])).toEqual([
      ['fire', 'the-admin'],
      ['shift', 'the-support'],
    ]);
    expect(explained.audit[1]).toMatchObject({ before: { dueAtMs: before }, after: { dueAtMs: before + HOUR_MS } });
  });

  it('holds it back and lets it go on, in the audit; paused it does not fire', async () => {
    const [timerId = ''] = await schedule(1);
    const { dueAtMs } = (await server.ask('timer', { timerId })).body;
    const trial = await server.ask('pauseTimer', { timerId }, why({ dryRun: true }));
    expect(trial.body).toMatchObject({ isDryRun: true, answer: { isPaused: true } });
    expect((await server.ask('timer', { timerId })).body.isPaused).toBe(false);
    const paused = await server.ask('pauseTimer', { timerId }, why(), 'support');
    expect(paused.body.answer).toMatchObject({ isPaused: true, dueAtMs, isOverdue: false });
    server.clock.advance(2 * HOUR_MS);
    await server.kibble.runDue();
    expect(fired).toEqual([]);
    expect((await server.ask('resumeTimer', { timerId }, why())).body.answer).toMatchObject({ isPaused: false });
    await server.kibble.runDue();
    expect(fired).toHaveLength(1);
    const { audit } = (await server.ask('explainTimer', { timerId })).body;
    expect(audit.map(({ action }) => action)).toEqual(['resume', 'pause']);
    expect(audit[1]).toMatchObject({ before: { isPaused: false }, after: { isPaused: true } });
  });

  it('pauses a kind and resumes it, as an admin and in the audit; a kind that nobody ever registered there is none', async () => {
    const act = async (route: 'pauseKind' | 'resumeKind', kind: string, role: 'admin' | 'support' = 'admin') =>
      server.ask(route, { kind }, why(), role);
    const [timerId = ''] = await schedule(1);
    const { kind } = (await server.ask('timer', { timerId })).body;
    expect(await act('pauseKind', kind, 'support')).toMatchObject({ status: 403 });
    expect(await act('pauseKind', 'ordr')).toMatchObject({ status: 404, body: { code: 'kind/unknown' } });
    const trial = await server.ask('pauseKind', { kind }, why({ dryRun: true }));
    expect(trial.body.answer).toEqual({ kind, isPaused: true });
    expect(await server.kibble.timers.fireNow([{ timerId }])).toMatchObject([{ outcome: 'applied' }]);
    expect((await act('pauseKind', kind)).body.answer).toEqual({ kind, isPaused: true });
    expect((await server.ask('overview')).body.kinds).toContainEqual({ kind, isPaused: true });
    await server.kibble.runDue();
    expect(fired).toEqual([]);
    expect((await act('resumeKind', kind)).body.answer).toEqual({ kind, isPaused: false });
    server.clock.advance(5000);
    await server.kibble.runDue();
    expect(fired).toHaveLength(1);
    const { entries } = (await server.ask('audit', {}, { target: `timers:${kind}` })).body;
    expect(entries.slice(0, 2)).toMatchObject([
      { action: 'resume', before: { isPaused: true }, after: { isPaused: false } },
      { action: 'pause', before: { isPaused: false }, after: { isPaused: true } },
    ]);
  });

  it('takes the longest kind wherever a kind is asked for, also as the target of the audit', async () => {
    const kind = LONGEST_KIND;
    expect(await server.ask('pauseKind', { kind }, why())).toMatchObject({ status: 200 });
    expect(await server.ask('resumeKind', { kind }, why())).toMatchObject({ status: 200 });
    const { entries } = (await server.ask('audit', {}, { target: `timers:${kind}` })).body;
    expect(entries).toMatchObject([{ action: 'resume' }, { action: 'pause' }]);
    expect(await server.ask('timers', {}, { kind })).toMatchObject({ status: 200 });
    expect(await server.ask('reviveDead', {}, why({ kind }))).toMatchObject({ status: 200 });
  });

  it('completes it: it never fires', async () => {
    const [timerId = ''] = await schedule(1);
    const completed = await server.ask('completeTimer', { timerId }, why(), 'support');
    expect(completed.body.answer).toMatchObject({ state: 'completed' });
    server.clock.advance(2 * HOUR_MS);
    await server.kibble.runDue();
    expect(fired).toEqual([]);
    expect(await server.ask('pauseTimer', { timerId }, why())).toMatchObject({
      status: 409,
      body: { code: 'timer/already-fired' },
    });
  });

  it('once for each commandId', async () => {
    const [timerId = ''] = await schedule(1);
    const body = why({ byMs: 1000 });
    const first = await server.ask('shiftTimer', { timerId }, body);
    expect(await server.ask('shiftTimer', { timerId }, body)).toEqual(first);
    expect((await server.ask('timer', { timerId })).body.revision).toBe(2);
    const other = await server.ask('shiftTimer', { timerId }, { ...body, byMs: 2000 });
    expect(other).toMatchObject({ status: 409, body: { code: 'command/reused' } });
  });

  it('but not on one that follows from a home', async () => {
    const { petId = '' } = await server.play('cyd', { type: 'home:adopt', name: 'Rex', species: 'dog' });
    await server.play('cyd', { type: 'home:feed', petId, food: 'dog-food' });
    const [timer] = await server.kibble.timers.listByOwner('cyd');
    const refused = await server.ask('cancelTimer', { timerId: timer?.id ?? '' }, why());
    expect(refused).toMatchObject({ status: 409, body: { code: 'timer/derived', params: { playerId: 'cyd' } } });
    await server.ask('stop', { playerId: 'cyd' }, why({ module: 'pets', thing: petId }));
  });

  it('and not on one that is not there', async () => {
    expect(await server.ask('fireTimer', { timerId: '999999999' }, why())).toMatchObject({
      status: 404,
      body: { code: 'timer/unknown' },
    });
  });
});

describe('dead timers', () => {
  it('are grouped by kind and error, listed as many as counted, and revived one by one or many at once', async () => {
    isBroken = true;
    const ids = await schedule(5, { inMs: 0 });
    server.clock.advance(10);
    await server.kibble.runDue();
    const [group] = (await server.ask('failed')).body.groups;
    expect(group).toMatchObject({ state: 'dead', kind: 'order', count: 5 });
    const list = await server.ask('timers', {}, { state: 'dead', kind: 'order', error: group?.error ?? '' });
    expect(list.body).toMatchObject({ count: 5, timers: [{}, {}, {}, {}, {}] });
    expect((await server.ask('overview')).body.dead).toBe(5);

    const [first = ''] = ids;
    const revived = await server.ask('reviveTimer', { timerId: first }, why());
    expect(revived.body.answer).toMatchObject({ timerId: first, state: 'scheduled', attempt: 0 });

    const many = why({ kind: 'order', error: group?.error });
    const trial = await server.ask('reviveDead', {}, { ...many, dryRun: true });
    expect(trial.body.answer.count).toBe(4);
    expect((await server.ask('overview')).body.dead).toBe(4);
    expect((await server.ask('reviveDead', {}, many)).body.answer.count).toBe(4);
    expect((await server.ask('reviveDead', {}, many)).body.answer.count).toBe(4);
    const audit = await server.ask('audit', {}, { target: `timer:${ids[1]}` });
    expect(audit.body.entries).toMatchObject([
      { action: 'revive', before: { state: 'dead' }, after: { state: 'scheduled' } },
    ]);

    isBroken = false;
    await server.kibble.runDue();
    expect(fired).toHaveLength(5);
    expect((await server.ask('failed')).body.groups).toEqual([]);
  });
});

it('dead timers that are scheduled again do not keep older ones from a revival', async () => {
  const older = await schedule(2, { inMs: 0 });
  isBroken = true;
  await server.kibble.runDue();
  const again = { kind: 'order', subject: 'again', owner: 'zoe' };
  for (let turn = 0; turn < 3; turn += 1) {
    server.clock.advance(10);
    await server.kibble.timers.schedule([{ ...again, dueAtMs: server.clock.nowMs() }]);
    if (turn < 2) await server.kibble.runDue();
  }
  isBroken = false;
  const few = why({ kind: 'order', limit: 2 });
  const { answer } = (await server.ask('reviveDead', {}, few)).body;
  expect(answer.timers.map(({ timerId }) => timerId).toSorted()).toEqual(older.toSorted());
  await server.kibble.runDue();
  const [left] = (await server.ask('failed')).body.groups;
  expect(left).toMatchObject({ state: 'dead', kind: 'order', count: 2 });
  const { timers: dead } = (await server.ask('timers', {}, { state: 'dead', kind: 'order' })).body;
  await server.kibble.timers.cancel(dead.map(({ timerId }) => ({ timerId })));
});

describe('the overview', () => {
  it('counts what waits and what is late, and how late timers fired here', async () => {
    await schedule(7);
    await schedule(2, { inMs: 500 });
    server.clock.advance(1000);
    expect((await server.ask('overview')).body).toMatchObject({ pending: 9, dead: 0, stuck: 0, players: 1 });
    await server.kibble.runDue();
    const { body } = await server.ask('overview');
    expect(body.pending).toBe(7);
    const { lateness } = body.process;
    expect(lateness.at(-1)?.p99Ms).toBeGreaterThanOrEqual(490);
    expect(lateness.every(({ fromMs }) => fromMs >= START_MS - 10_000)).toBe(true);
    expect(body.oldestUnackedMs).toBe(0);
  });

  it('shows the index, and refills it when asked', async () => {
    await schedule(3);
    const { body } = await server.ask('index');
    expect(body).toMatchObject({ shards: 1, inside: { counts: [expect.any(Number)] } });
    const rebuilt = await server.ask('rebuild', {}, why());
    expect(rebuilt).toMatchObject({ status: 200, body: { answer: { generation: expect.any(Number) } } });
    for (const dryRun of [true, false]) {
      expect((await server.ask('reshard', {}, why({ shards: 4, dryRun }))).body.code).toBe('index/impossible');
    }
    const preview = await server.ask('reshard', {}, why({ shards: 1, dryRun: true }));
    expect(preview.body).toMatchObject({ isDryRun: true, answer: { shards: 1, wantedShards: 1 } });
    expect((await server.ask('audit', {}, { target: 'index' })).body.entries).toMatchObject([{ action: 'rebuild' }]);
  });
});

it('shows how a timer comes again, which turn it is, and what a late one was judged to be', async () => {
  const { clock, kibble } = server;
  const order = { kind: 'order', subject: 'daily', owner: 'zoe', dueAtMs: clock.nowMs() + HOUR_MS };
  const every = { ms: HOUR_MS, times: 9 };
  await kibble.timers.schedule([{ ...order, every, misfire: { late: 'dead' } }]);
  clock.advance(3.5 * HOUR_MS);
  await kibble.runDue();
  const [{ id = '' } = {}] = await kibble.timers.find([order]);
  const { body } = await server.ask('explainTimer', { timerId: id });
  expect(body.timer).toMatchObject({ state: 'dead', turn: 3, recurrence: { every }, misfire: { late: 'dead' } });
  expect(body.timer.lateness).toMatchObject({ lateMs: HOUR_MS / 2, missed: 2, isMisfire: true });
  const { body: list } = await server.ask('timers', {}, { state: 'dead', owner: 'zoe' });
  expect(list.timers.find(({ timerId }) => timerId === id)).toMatchObject({ turn: 3, recurrence: { every } });
});
