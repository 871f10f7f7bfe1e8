import { describe, expect, it } from 'vitest';
import { settleOwners } from '../../../../server/timer/fire/derived-runner.ts';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { FailedOwner } from '../../../../server/timer/model/timer-kind.ts';
import { causesOf } from '../../../../shared/game-code.ts';
import { afterLock } from '../../../support/engine/after-lock.ts';
import { firingScene } from '../../../support/engine/firing-scene.ts';
import { thingKind } from '../../../support/engine/thing-kind.ts';
import { FakeTimerStore } from '../../../support/fake-database/fake-timer-store.ts';

const noWorld = new Error('no Postgres');

/** The outcome of a settle: the owners of moved timers, whether it reports them, and the owners that are not settled. */
interface Look {
  readonly moves: readonly string[];
  readonly isSaid?: boolean;
  readonly unsettled?: readonly FailedOwner[];
}

/** Two timers of ann, one of bob, one of cleo. */
const makeScene = async (look: Look | Error, isHoldFaulty = false) => {
  const [asked, reread]: [(readonly string[])[], (readonly string[])[]] = [[], []];
  const rows = new FakeTimerStore(() => nowMs);
  const { tools, events, lines, nowMs } = await firingScene({
    faultyStore: {
      isWorldFault: (error) => causesOf(error).includes(noWorld),
      listByOwners: (owners) => rows.listByOwners(owners),
      release: (owners) => rows.release(owners),
      hold: (holds) => (isHoldFaulty ? Promise.reject(noWorld) : rows.hold(holds)),
      stillDue: (seen) => {
        reread.push(seen.map(({ subject }) => subject));
        return rows.stillDue(seen);
      },
    },
  });
  const subjects = ['ann~1', 'ann~2', 'bob~1', 'cleo~1'];
  const dated = { kind: 'pet', dueAtMs: nowMs - 40 };
  await rows.changeThings({ put: subjects.map((subject) => ({ ...dated, subject, owner: subject.slice(0, -2) })) });
  const settle = async (owners: readonly string[]) => {
    asked.push(owners);
    if (look instanceof Error) throw look;
    const { moves, isSaid = true, unsettled = [] } = look;
    const { remove } = await rows.changeThings({ end: await rows.listByOwners(moves) });
    return { unsettled, moved: new Set(isSaid ? remove.map(({ timerId }) => timerId) : []) };
  };
  const due = () => rows.listByOwners(['ann', 'bob', 'cleo']);
  /** As they are read when they are delivered. */
  const run = async (timers: readonly Timer[]) => settleOwners(tools, thingKind('pet', settle), timers);
  const timers = [...(await due())].sort((left, right) => Number(left.id) - Number(right.id));
  return { run, rows, timers, due, asked, reread, events, lines, nowMs };
};

const [fired, stuck] = ['fired', 'stuck'] as const;
const lookFailed = new Error('still due after its owner was settled');
const entriesAt = (timers: readonly (Timer | undefined)[], fireAtMs: number) =>
  timers.flatMap((timer) => (timer ? { ...entryOf(timer), fireAtMs } : []));

describe('timers whose owners are looked at', () => {
  it('are fired where the look has moved them, without another question', async () => {
    const { run, timers, asked, reread, events, nowMs } = await makeScene({ moves: ['ann', 'bob', 'cleo'] });
    expect(await run(timers)).toEqual({ entries: [], finished: 4 });
    expect(asked).toEqual([['ann', 'bob', 'cleo']]);
    expect(reread).toEqual([]);
    expect(events).toEqual([{ type: fired, kind: 'pet', timers, nowMs }]);
  });

  it('are fired where others have moved them, and stuck where nobody has: asked is of what the look did not move', async () => {
    const scene = await makeScene({ moves: ['ann'] });
    const { run, timers, due, reread, events, nowMs } = scene;
    const [ann, other, bob, cleo] = timers;
    await scene.rows.changeThings({ end: cleo ? [cleo] : [] });
    expect(await run(timers)).toEqual({ entries: entriesAt([bob], nowMs + 1000), finished: 4 });
    expect(reread).toEqual([['bob~1', 'cleo~1']]);
    expect(events).toEqual([
      { type: fired, kind: 'pet', timers: [ann, other, cleo], nowMs: expect.any(Number) },
      { type: stuck, timer: bob, error: lookFailed },
    ]);
    const lastError = expect.stringContaining(lookFailed.message);
    expect(await due()).toMatchObject([{ id: bob?.id, state: 'scheduled', revision: 1, attempt: 1, lastError }]);
  });

  it('that were moved in a look that does not say so are fired all the same', async () => {
    const { run, timers, reread, events } = await makeScene({ moves: ['ann', 'bob', 'cleo'], isSaid: false });
    expect(await run(timers)).toEqual({ entries: [], finished: 4 });
    expect(reread).toEqual([['ann~1', 'ann~2', 'bob~1', 'cleo~1']]);
    expect(events).toMatchObject([{ type: fired, timers }]);
  });

  it('come again soon, uncounted, where their owner is locked', async () => {
    const unsettled = [{ owner: 'ann', isLocked: true, error: noWorld }];
    const { run, timers, due, events, nowMs } = await makeScene({ moves: ['bob', 'cleo'], unsettled });
    const [ann, other, bob, cleo] = timers;
    const entries = [ann, other].flatMap((timer) => (timer ? afterLock(timer, nowMs) : []));
    expect(await run(timers)).toEqual({ entries, finished: 2 });
    expect(events).toEqual([
      { type: fired, kind: 'pet', timers: [bob, cleo], nowMs },
      { type: 'requeued', reason: 'locked', count: 2 },
    ]);
    expect(await due()).toEqual([ann, other]);
  });

  it('come again in half a second, uncounted, where the world failed their owner', async () => {
    const unsettled = [{ owner: 'bob', isLocked: false, error: noWorld }];
    const { run, timers, due, events, lines, nowMs } = await makeScene({ moves: ['ann', 'cleo'], unsettled });
    const [ann, other, bob, cleo] = timers;
    expect(await run(timers)).toEqual({ entries: entriesAt([bob], nowMs + 500), finished: 3 });
    expect(events).toEqual([
      { type: fired, kind: 'pet', timers: [ann, other, cleo], nowMs },
      { type: 'requeued', reason: 'world-fault', count: 1 },
    ]);
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
    expect(await due()).toEqual([bob]);
  });

  it('are stuck where their owner fails, with its error, all of its timers at once', async () => {
    const error = new Error('ann is broken');
    const unsettled = [{ owner: 'ann', isLocked: false, error }];
    const { run, timers, due, events, lines, nowMs } = await makeScene({ moves: ['bob', 'cleo'], unsettled });
    const [ann, other] = timers;
    expect(await run(timers)).toEqual({ entries: entriesAt([ann, other], nowMs + 1000), finished: 4 });
    const held = { attempt: 1, fireAtMs: nowMs + 1000, lastError: 'Error: ann is broken', revision: 1 };
    expect(await due()).toMatchObject([held, held]);
    expect(events.slice(1)).toEqual([
      { type: stuck, timer: ann, error },
      { type: stuck, timer: other, error },
    ]);
    expect(lines).toEqual([]);
  });

  it('are held longer with every failed look in a row', async () => {
    const unsettled = [{ owner: 'ann', isLocked: false, error: new Error('ann is broken') }];
    const { run, rows, due, timers, nowMs } = await makeScene({ moves: [], unsettled });
    const [ann, other] = timers;
    if (!ann || !other) throw new Error('there are two');
    const waitsMs: number[] = [];
    for (let look = 0; look < 6; look += 1) {
      const { timers: read } = await rows.read([ann, other].map(({ id, owner }) => ({ timerId: id, owner })));
      const { entries } = await run(read);
      waitsMs.push(...new Set(entries.map(({ fireAtMs }) => fireAtMs - nowMs)));
    }
    expect(waitsMs).toEqual([1000, 2000, 5000, 15_000, 60_000, 60_000]);
    expect((await due()).filter(({ owner }) => owner === 'ann').map(({ attempt }) => attempt)).toEqual([6, 6]);
  });

  it('free their home when a look works; not while another of its timers is still due', async () => {
    const { run, rows, timers } = await makeScene({ moves: ['ann'] });
    const [, , bob] = timers;
    const owners = ['ann', 'bob', 'cleo'];
    const until = timers[0]?.dueAtMs ?? 0;
    await rows.hold(owners.map((owner) => ({ owner, untilMs: until, attempt: 3, lastError: 'no' })));
    await run(await rows.listByOwners(['ann', 'bob']));
    const [ann] = timers;
    await rows.changeThings({ put: ann ? [ann] : [] });
    expect(await rows.listByOwners(['ann'])).toMatchObject([{ attempt: 0, lastError: undefined }]);
    expect(await rows.listByOwners(['bob'])).toMatchObject([{ id: bob?.id, attempt: 4 }]);
    expect(await rows.listByOwners(['cleo'])).toMatchObject([{ attempt: 3 }]);
  });

  it('come again soon where their home could not be held', async () => {
    const { run, timers, due, events, nowMs } = await makeScene({ moves: ['ann', 'bob'] }, true);
    const [, , , cleo] = timers;
    expect((await run(timers)).entries).toEqual(entriesAt([cleo], nowMs + 500));
    expect(events.slice(1)).toEqual([
      { type: stuck, timer: cleo, error: lookFailed },
      { type: 'requeued', reason: 'world-fault', count: 1 },
    ]);
    expect(await due()).toEqual([cleo]);
  });

  it('are not told as anything where the look itself fails: that is for the batch', async () => {
    const { run, timers, events } = await makeScene(noWorld);
    await expect(run(timers)).rejects.toBe(noWorld);
    expect(events).toEqual([]);
  });
});
