import { expect, it } from 'vitest';
import type { FiredTimer } from '../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import type { MisfirePolicy } from '../../../server/timer/recurrence/misfire.ts';
import { sabotaged } from '../../support/engine/sabotaged.ts';
import { makeMemoryEngine, NOW_MS } from '../../support/engine/timer-engine.ts';

const MINUTE_MS = 60_000;

/** Orders that the handler records; the policy for late ones is the kind's. The rest is in `recurring.test.ts`. */
const makeScene = async (
  misfire?: MisfirePolicy,
  faultyStore: (store: TimerStore) => Partial<TimerStore> = () => ({}),
) => {
  const under = await makeMemoryEngine((store) => sabotaged(store, faultyStore(store)));
  const { engine, timers, clock, events } = under;
  const fired: FiredTimer[] = [];
  const fire = async (some: readonly FiredTimer[]): Promise<undefined> => void fired.push(...some);
  engine.register({ kind: 'order', fire, ...(misfire && { misfire }) });
  const order = { kind: 'order', owner: 'ann', dueAtMs: NOW_MS };
  await engine.runDue();
  await timers.schedule([
    { ...order, subject: 'once' },
    { ...order, subject: 'each minute', every: { ms: MINUTE_MS } },
  ]);
  const run = async (lateMs: number) => {
    events.length = 0;
    clock.advance(lateMs);
    await engine.runDue();
    return fired.splice(0).map(({ subject, turn }) => [subject, turn]);
  };
  const find = async (subject: string) => (await timers.find([{ kind: 'order', subject }]))[0];
  const dueOf = async () => (await under.index.orders.listByOwner('ann')).map(({ fireAtMs }) => fireAtMs - NOW_MS);
  return { ...under, fired, run, find, dueOf };
};

it('timers in time fire as they are, judged by nothing', async () => {
  const { run, events, find } = await makeScene({ late: 'skip' });
  expect(await run(MINUTE_MS - 1)).toEqual([
    ['once', 1],
    ['each minute', 1],
  ]);
  expect(events.map(({ type }) => type)).toEqual(['fired']);
  expect(await find('once')).toMatchObject({ revision: 2, lateness: undefined });
});

it('a late timer that is skipped leaves the index, a recurring one waits there for its next turn', async () => {
  const { run, events, find, dueOf } = await makeScene({ late: 'skip', missed: 'all', afterMs: 1000 });
  expect(await run(3 * MINUTE_MS + 30_000)).toEqual([]);
  expect(await find('once')).toMatchObject({ state: 'completed', result: { misfired: true } });
  expect(await find('each minute')).toMatchObject({ state: 'scheduled', turn: 5, dueAtMs: NOW_MS + 4 * MINUTE_MS });
  expect(await dueOf()).toEqual([4 * MINUTE_MS]);
  expect(events).toEqual([{ type: 'misfired', kind: 'order', skipped: 2, handed: 0, missed: 0 }]);
});

it('a skipped timer whose next turn is due now fires that turn', async () => {
  const { run } = await makeScene({ late: 'skip', missed: 'all', afterMs: 1000 });
  expect(await run(3 * MINUTE_MS)).toEqual([['each minute', 4]]);
});

it('late timers that fire are counted, with the turns that they missed; their rows keep how late they were', async () => {
  const { run, events, find } = await makeScene({ late: 'hand' });
  expect(await run(3 * MINUTE_MS + 40)).toEqual([
    ['once', 1],
    ['each minute', 4],
  ]);
  expect(events[0]).toEqual({ type: 'misfired', kind: 'order', skipped: 0, handed: 1, missed: 3 });
  const lateMs = 3 * MINUTE_MS + 40;
  expect(await find('once')).toMatchObject({ revision: 3, lateness: { turn: 1, lateMs, isMisfire: true } });
});

it('a late timer is dead when its policy is that: counted as one attempt, out of the index', async () => {
  const { run, events, dueOf } = await makeScene({ late: 'dead' });
  await run(5 * MINUTE_MS);
  const error = { message: 'misfire: it came 300000 ms late, and its policy is to be dead then' };
  expect(events.slice(0, 2)).toMatchObject([
    { type: 'misfired', skipped: 0, handed: 0 },
    { type: 'dead', timer: { subject: 'once' }, error },
  ]);
  expect(await dueOf()).toEqual([6 * MINUTE_MS]);
});

it('a late timer whose recurrence cannot be read here fires as it is', async () => {
  const { run, events } = await makeScene({ late: 'hand' }, (store) => ({
    read: async (refs) => {
      const { timers, nowMs } = await store.read(refs);
      const recurrence = { cron: { pattern: 'not a pattern', timeZone: 'Mars/Base' } } as never;
      return {
        timers: timers.filter(({ subject }) => subject === 'once').map((timer) => ({ ...timer, recurrence })),
        nowMs,
      };
    },
  }));
  expect(await run(5 * MINUTE_MS)).toEqual([['once', 1]]);
  expect(events.map(({ type }) => type)).toEqual(['fired']);
});

it('a late timer that another transaction has comes again soon; the others fire', async () => {
  const { run, events, dueOf } = await makeScene({ late: 'hand' }, (store) => ({
    fire: (seen, work) =>
      store.fire(
        seen.filter(({ subject, lateness }) => subject === 'once' || lateness),
        work,
      ),
  }));
  expect(await run(5 * MINUTE_MS)).toEqual([['once', 1]]);
  expect(events).toContainEqual({ type: 'requeued', reason: 'locked', count: 1 });
  expect(await dueOf()).toEqual([5 * MINUTE_MS + 100]);
});

it.each(['transaction', 'call'])(
  'a late timer whose judgement Postgres refuses has failed an attempt; the others, in a %s, fire',
  async (by) => {
    const refused = Object.assign(new Error('integer out of range'), { code: '22003' });
    const { engine, timers, run, fired } = await makeScene(undefined, (store) => ({
      fire: async (seen, work) => {
        if (seen.some(({ subject, attempt }) => subject === 'bad' && attempt === 0)) throw refused;
        return store.fire(seen, work);
      },
    }));
    engine.register({
      kind: 'brew',
      misfire: { late: 'hand' },
      ...(by === 'call'
        ? { call: async (timer: FiredTimer) => void fired.push(timer) }
        : { fire: async (some: readonly FiredTimer[]) => void fired.push(...some) as undefined }),
    });
    await timers.cancel(['once', 'each minute'].map((subject) => ({ kind: 'order', subject })));
    const brew = { kind: 'brew', owner: 'ann', dueAtMs: NOW_MS };
    await timers.schedule(['a', 'b', 'bad', 'c'].map((subject) => ({ ...brew, subject })));
    expect((await run(5 * MINUTE_MS)).map(([subject]) => subject).sort()).toEqual(['a', 'b', 'c']);
    const [bad] = await timers.find([{ kind: 'brew', subject: 'bad' }]);
    expect(bad).toMatchObject({ state: 'scheduled', attempt: 1, lastError: expect.stringContaining('22003') });
    expect(await run(15_000)).toEqual([['bad', 1]]);
  },
);

it('late timers delay no other kind while they are judged', async () => {
  const judging = Promise.withResolvers<void>();
  const { engine, timers, run, find, fired } = await makeScene({ late: 'skip' }, (store) => ({
    fire: async (seen, work) => {
      if (seen[0]?.kind === 'order') await judging.promise;
      return store.fire(seen, work);
    },
  }));
  const brewed = Promise.withResolvers<void>();
  engine.register({ kind: 'brew', fire: async () => brewed.resolve() as undefined });
  await timers.schedule([{ kind: 'brew', subject: 'a', owner: 'ann', dueAtMs: NOW_MS }]);
  const running = run(2 * MINUTE_MS);
  await brewed.promise;
  expect(await find('once')).toMatchObject({ state: 'scheduled' });
  judging.resolve();
  await running;
  expect([await find('once'), fired]).toMatchObject([{ state: 'completed' }, []]);
});
