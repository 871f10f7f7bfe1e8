import { describe, expect, it } from 'vitest';
import { judgeLate } from '../../../../server/timer/fire/late-timers.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { TimerStore, TimerUpdate } from '../../../../server/timer/model/timer-store.ts';
import { makeTools, NOW_MS, timerOf, torn } from '../../../support/engine/firing-tools.ts';

describe('late timers', () => {
  const LATE_MS = 300_000;
  const late = (id: string, more: Partial<Timer> = {}) =>
    timerOf(id, { dueAtMs: NOW_MS - LATE_MS, fireAtMs: NOW_MS - LATE_MS, misfire: { late: 'hand' }, ...more });
  const kind = { kind: 'order', fire: async () => undefined };
  /** A store whose `fire` locks all but some rows, and keeps what was judged. */
  const judging = (isLocked: (timer: Timer) => boolean = () => false) => {
    const updates: TimerUpdate[] = [];
    const fire: TimerStore['fire'] = async (seen, work) => {
      const timers = seen.filter((timer) => !isLocked(timer));
      updates.push(...((await work({} as never, { timers, nowMs: NOW_MS })) as readonly TimerUpdate[]));
      return { timers, nowMs: NOW_MS } as never;
    };
    return { ...makeTools({ fire }), updates };
  };
  const ids = (timers: readonly Pick<Timer, 'id'>[]) => timers.map(({ id }) => id);

  it('are judged before their first attempt alone', async () => {
    const { tools, updates } = judging();
    const judged = [
      late('1', { attempt: 1 }),
      late('3', { claims: 1 }),
      late('5', { lateness: { turn: 1, dueAtMs: NOW_MS, lateMs: 5, missed: 0, isMisfire: true } }),
      late('7', { misfire: undefined }),
    ];
    expect(await judgeLate(tools, kind, judged)).toEqual({ firing: judged, later: [] });
    expect(updates).toEqual([]);
    const { firing } = await judgeLate(tools, kind, [...judged, late('9')]);
    expect(ids(firing)).toEqual(['1', '3', '5', '7', '9']);
    expect(updates).toMatchObject([{ timerId: '9', lateness: { lateMs: LATE_MS } }]);
    expect(firing.at(-1)).toMatchObject({ revision: 2, lateness: { lateMs: LATE_MS } });
  });

  it('are judged by the policy of their kind, or of their recurrence, if they have none', async () => {
    const { tools, updates } = judging();
    const plain = late('1', { misfire: undefined });
    const recurring = late('3', { misfire: undefined, recurrence: { every: { ms: 7000 } } });
    await judgeLate(tools, { ...kind, misfire: { late: 'hand' } }, [plain]);
    await judgeLate(tools, kind, [recurring]);
    expect(updates.map(({ timerId }) => timerId)).toEqual(['1', '3']);
  });

  it('that another transaction has come again soon; those that end leave the index; the others fire', async () => {
    const { tools, changes, events, updates } = judging(({ id }) => id === '1');
    const { firing, later } = await judgeLate(tools, kind, [
      late('1'),
      late('3', { misfire: { late: 'skip' } }),
      late('5', { misfire: { late: 'dead' } }),
      late('7'),
      late('9', { misfire: { late: 'skip' }, recurrence: { every: { ms: 3 * LATE_MS } } }),
    ]);
    expect(ids(firing)).toEqual(['7']);
    expect(later.map(({ timerId, fireAtMs }) => [timerId, fireAtMs - NOW_MS])).toEqual([
      ['9', 2 * LATE_MS],
      ['1', 100],
    ]);
    expect(changes).toMatchObject([{ put: [], remove: [{ timerId: '3' }, { timerId: '5' }] }]);
    expect(events).toContainEqual({ type: 'requeued', reason: 'locked', count: 1 });
    expect(events.filter(({ type }) => type === 'dead')).toHaveLength(1);
    expect(updates.map(({ timerId, state }) => [timerId, state])).toEqual([
      ['3', 'completed'],
      ['5', 'dead'],
      ['7', 'scheduled'],
      ['9', 'scheduled'],
    ]);
  });

  it.each([
    ['the world fails', { isWorldFault: () => true }],
    ['the rows are locked', { isContention: () => true }],
  ])('are requeued where %s; those in time fire', async (_, of) => {
    const { tools, events } = makeTools({ ...of, fire: async () => Promise.reject(torn) });
    const { firing, later } = await judgeLate(tools, kind, [late('1'), timerOf('3'), late('5')]);
    expect(ids(firing)).toEqual(['3']);
    expect(later.map(({ timerId }) => timerId)).toEqual(['1', '5']);
    expect(events).toEqual([{ type: 'requeued', reason: 'world-fault', count: 2 }]);
  });

  it('whose judgement is refused have failed, each alone; those in time fire', async () => {
    const saved: string[] = [];
    const { tools } = makeTools({
      fire: async () => Promise.reject(torn),
      save: async (updates) => {
        saved.push(...updates.map(({ timerId }) => timerId));
        return updates.map(({ timerId }) => timerOf(timerId, { revision: 2 })) as never;
      },
    });
    const { firing, later } = await judgeLate(tools, kind, [late('1'), timerOf('3'), late('5')]);
    expect(ids(firing)).toEqual(['3']);
    expect(saved).toEqual(['1', '5']);
    expect(later.map(({ timerId }) => timerId)).toEqual(['1', '5']);
  });
});
