import { describe, expect, it } from 'vitest';
import { judgeLate } from '../../../../server/timer/fire/late-timers.ts';
import { entryOf, type IndexChanges, type IndexRemoval } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { TimerStore } from '../../../../server/timer/model/timer-store.ts';
import type { MisfirePolicy } from '../../../../server/timer/recurrence/misfire.ts';
import { firingScene } from '../../../support/engine/firing-scene.ts';

const MINUTE_MS = 60_000;
const kindWith = (misfire?: MisfirePolicy) => ({
  kind: 'order',
  fire: async () => undefined,
  ...(misfire && { misfire }),
});

/** A timer that comes each minute and another that comes once, both due 40 ms ago; then the clock is moved on. */
const scene = async (byMs: number, faultyStore: Partial<TimerStore> = {}) => {
  /** Entries that left the index. */
  const removed: IndexRemoval[] = [];
  const apply = async ({ remove }: IndexChanges): Promise<void> => void removed.push(...remove);
  const made = await firingScene({ faultyStore, faultyWriter: { apply } });
  const { tools, timer, clock } = made;
  const [again] = await tools.store.schedule([
    {
      kind: 'order',
      subject: 'again',
      owner: 'ann',
      dueAtMs: timer.dueAtMs,
      every: { ms: MINUTE_MS },
    },
  ]);
  if (!again || !('timer' in again)) throw new Error('not scheduled');
  clock.advance(byMs);
  const recurring = again.timer;
  const rowOf = async ({ subject }: Timer) => (await tools.store.find([{ kind: 'order', subject }]))[0];
  await tools.storeClock.refresh();
  return { ...made, recurring, removed, rowOf, nowMs: clock.nowMs() };
};
const none = { later: [] };

describe('a timer that is due', () => {
  it('fires as it is where it is in time, was tried before, was judged before, or has no policy', async () => {
    const inTime = await scene(MINUTE_MS - 40);
    const skip = kindWith({ late: 'skip' });
    const both = [inTime.timer, inTime.recurring];
    expect(await judgeLate(inTime.tools, skip, both)).toEqual({ firing: both, ...none });
    const { tools, timer, events } = await scene(10 * MINUTE_MS);
    const lateness = { turn: 1, dueAtMs: timer.dueAtMs, lateMs: 9, missed: 0, isMisfire: false };
    const known = [
      { ...timer, attempt: 1 },
      { ...timer, claims: 1 },
      { ...timer, lateness },
    ];
    expect(await judgeLate(tools, skip, known)).toEqual({ firing: known, ...none });
    expect(await judgeLate(tools, kindWith(), [timer])).toEqual({ firing: [timer], ...none });
    expect([...inTime.events, ...events]).toEqual([]);
  });

  it('fires as it is where its recurrence cannot be read here', async () => {
    const { tools, timer } = await scene(MINUTE_MS);
    const strange = { ...timer, recurrence: { cron: { pattern: 'not a pattern', timeZone: 'Mars/Base' } } } as never;
    expect(await judgeLate(tools, kindWith(), [strange])).toEqual({ firing: [strange], ...none });
  });
});

describe('a timer that is late', () => {
  it('is handed over with how late it was, which its row keeps', async () => {
    const { tools, timer, rowOf, events } = await scene(5 * MINUTE_MS);
    const lateness = { turn: 1, dueAtMs: timer.dueAtMs, lateMs: 5 * MINUTE_MS + 40, missed: 0, isMisfire: true };
    const kind = kindWith({ late: 'hand' });
    const { firing, ...others } = await judgeLate(tools, kind, [timer]);
    expect(firing).toEqual([{ ...timer, lateness, revision: timer.revision + 1 }]);
    expect(await rowOf(timer)).toMatchObject({
      lateness,
      revision: timer.revision + 1,
      state: 'scheduled',
      attempt: 0,
    });
    expect(others).toEqual(none);
    expect(events).toEqual([{ type: 'misfired', kind: 'order', skipped: 0, handed: 1, missed: 0 }]);
  });

  it('is completed unfired by the policy skip, and leaves the index', async () => {
    const { tools, timer, rowOf, removed, events } = await scene(5 * MINUTE_MS);
    const own = { ...timer, misfire: { late: 'skip' } } as const;
    expect(await judgeLate(tools, kindWith({ late: 'skip' }), [own])).toEqual({ firing: [], ...none });
    expect(removed).toEqual([{ ...entryOf(timer), revision: timer.revision + 1 }]);
    expect(await rowOf(timer)).toMatchObject({
      state: 'completed',
      result: { misfired: true, lateMs: 5 * MINUTE_MS + 40, missed: 0 },
    });
    expect(events).toEqual([{ type: 'misfired', kind: 'order', skipped: 1, handed: 0, missed: 0 }]);
  });

  it('is dead by the policy dead, with one attempt, and says how late it came', async () => {
    const { tools, timer, rowOf, removed, events } = await scene(5 * MINUTE_MS);
    const { firing } = await judgeLate(tools, kindWith({ late: 'dead' }), [timer]);
    expect([firing, removed]).toEqual([[], [{ ...entryOf(timer), revision: timer.revision + 1 }]]);
    const text = 'misfire: it came 300040 ms late, and its policy is to be dead then';
    expect(await rowOf(timer)).toMatchObject({
      state: 'dead',
      attempt: 1,
      lastError: text,
      lateness: { isMisfire: true },
    });
    expect(events).toMatchObject([
      { type: 'misfired', skipped: 0, handed: 0, missed: 0 },
      { type: 'dead', timer: { id: timer.id }, error: { message: text } },
    ]);
  });

  it('and comes again fires its last turn that came due, and counts the others', async () => {
    const { tools, recurring, rowOf, events } = await scene(3 * MINUTE_MS);
    const { firing, ...others } = await judgeLate(tools, kindWith(), [recurring]);
    const turn = { turn: 4, dueAtMs: recurring.dueAtMs + 3 * MINUTE_MS };
    const lateness = { ...turn, lateMs: 40, missed: 3, isMisfire: false };
    expect(firing).toEqual([
      { ...recurring, ...turn, fireAtMs: turn.dueAtMs, lateness, revision: recurring.revision + 1 },
    ]);
    expect(await rowOf(recurring)).toMatchObject({ ...turn, fireAtMs: turn.dueAtMs, lateness });
    expect(others).toEqual(none);
    expect(events).toEqual([{ type: 'misfired', kind: 'order', skipped: 0, handed: 0, missed: 3 }]);
  });

  it('and comes again waits for its next turn by the policy skip, in the index too', async () => {
    const { tools, recurring, rowOf, removed } = await scene(3 * MINUTE_MS + 30_000);
    const kind = kindWith({ late: 'skip', missed: 'all', afterMs: 1000 });
    const { firing, later } = await judgeLate(tools, kind, [recurring]);
    const dueAtMs = recurring.dueAtMs + 4 * MINUTE_MS;
    expect(await rowOf(recurring)).toMatchObject({ turn: 5, dueAtMs, fireAtMs: dueAtMs, state: 'scheduled' });
    expect([firing, removed]).toEqual([[], []]);
    expect(later).toEqual([{ ...entryOf(recurring), fireAtMs: dueAtMs, revision: recurring.revision + 1 }]);
  });

  it('and comes again fires its next turn where that is due now', async () => {
    const { tools, recurring, nowMs } = await scene(3 * MINUTE_MS - 40);
    const kind = kindWith({ late: 'skip', missed: 'all', afterMs: 1000 });
    const { firing, ...others } = await judgeLate(tools, kind, [recurring]);
    expect(firing).toMatchObject([{ turn: 4, dueAtMs: nowMs, fireAtMs: nowMs }]);
    expect(others).toEqual(none);
  });

  it('is judged by a policy of its own, beside one that is in time', async () => {
    const { tools, timer, removed, nowMs } = await scene(5 * MINUTE_MS);
    const misfire = { late: 'skip' } as const;
    const [made] = await tools.store.schedule([
      { kind: 'order', subject: 'own', owner: 'ann', dueAtMs: timer.dueAtMs, misfire },
    ]);
    if (!made || !('timer' in made)) throw new Error('not scheduled');
    const young = { ...timer, fireAtMs: nowMs };
    expect((await judgeLate(tools, kindWith(), [young, made.timer])).firing).toEqual([young]);
    expect(removed).toEqual([{ ...entryOf(made.timer), revision: made.timer.revision + 1 }]);
  });
});

describe('what could not be judged', () => {
  it('is looked at again soon where it was not saved; the others fire', async () => {
    const fire = () => Promise.reject(new Error('no Postgres'));
    const { tools, timer, recurring, nowMs } = await scene(5 * MINUTE_MS, { fire });
    const kind = kindWith({ late: 'hand' });
    const young = { ...timer, fireAtMs: nowMs };
    const { firing, later } = await judgeLate(tools, kind, [young, recurring]);
    expect(firing).toEqual([young]);
    expect(later).toEqual([{ ...entryOf(recurring), fireAtMs: expect.any(Number) }]);
    expect(later[0]?.fireAtMs).toBeGreaterThan(nowMs);
  });

  it('is put back where somebody else has the row; the others fire', async () => {
    const { tools, timer, recurring, nowMs, events } = await scene(5 * MINUTE_MS);
    const stale = { ...recurring, revision: recurring.revision + 7 };
    const { firing, later } = await judgeLate(tools, kindWith({ late: 'hand' }), [timer, stale]);
    expect(firing.map(({ id }) => id)).toEqual([timer.id]);
    expect(later).toEqual([{ ...entryOf(stale), fireAtMs: nowMs + 100 }]);
    expect(events).toEqual([
      { type: 'misfired', kind: 'order', skipped: 0, handed: 1, missed: 0 },
      { type: 'requeued', reason: 'locked', count: 1 },
    ]);
  });
});
