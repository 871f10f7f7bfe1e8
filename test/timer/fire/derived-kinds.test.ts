import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexChanges } from '../../../server/timer/model/index-entry.ts';
import type { DerivedKind, SettledOwners } from '../../../server/timer/model/timer-kind.ts';
import { SETTLED, thingKind } from '../../support/engine/kinds.ts';
import { type EngineUnderTest, makeEngine, NOW_MS } from '../../support/engine/timer-engine.ts';
import type { ThingTimers } from '../../support/fake-database/thing-timers.ts';

let under: EngineUnderTest;
beforeEach(async () => {
  under = await makeEngine();
});
afterEach(() => under.dispose());

const feeding = (owner: string, delayMs: number) => ({
  kind: 'feeding',
  subject: `${owner}~bowl`,
  owner,
  dueAtMs: NOW_MS + delayMs,
});

const changeThings = async (changes: ThingTimers): Promise<IndexChanges> => {
  const changed = await under.changeThings(changes);
  await under.engine.indexWriter.apply(changed);
  return changed;
};
/** Rows of things, once the engine has said which kinds there are. */
const begin = async (...rows: readonly ReturnType<typeof feeding>[]): Promise<void> => {
  await under.engine.join();
  await changeThings({ put: rows });
};

/** As the home path does: moves on the owners' due rows in a transaction of its own. */
const complete = async (owners: readonly string[]): Promise<SettledOwners> => {
  const { remove } = await changeThings({ end: owners.map((owner) => feeding(owner, 0)) });
  return { unsettled: [], moved: new Set(remove.map(({ timerId }) => timerId)) };
};

const register = (settle: DerivedKind['settle']): void => under.engine.register(thingKind('feeding', settle));
const failed = (owner: string) => ({ owner, error: new Error('broken home'), isLocked: false });
/** When the index brings the one timer of an owner, from now. */
const comesAgainInMs = async (owner: string): Promise<number> => {
  const [entry] = await under.index.orders.listByOwner(owner);
  return (entry?.fireAtMs ?? Number.NaN) - under.clock.nowMs();
};

describe('a derived kind', () => {
  it('has the owners of due timers settled, each once in a batch, and nobody else', async () => {
    const settled: string[][] = [];
    register(async (some) => {
      if (some.length > 0) settled.push([...some].sort());
      return complete(some);
    });
    const other = { ...feeding('ann', 0), subject: 'ann~second' };
    await begin(feeding('ann', 0), other, feeding('bob', 0), feeding('cleo', 1));
    await under.engine.runDue();
    expect(settled).toEqual([['ann', 'bob']]);
  });

  it('is refused to generic writes, by key and by id', async () => {
    register(complete);
    await begin(feeding('ann', 1000));
    const [row] = await under.timers.listByOwner('ann');
    const [scheduled] = await under.timers.schedule([feeding('bob', 1)]);
    expect(scheduled).toEqual({ outcome: 'derived' });
    const outcomes = await under.timers.cancel([{ timerId: row?.id ?? '' }, { kind: 'feeding', subject: 'ann~bowl' }]);
    expect(outcomes).toEqual([{ outcome: 'derived' }, { outcome: 'derived' }]);
    expect(await under.timers.cancelByOwner(['ann'])).toEqual([]);
    expect(await under.timers.listByOwner('ann')).toEqual([row]);
  });

  it('isolates an owner that fails; it is stuck, never dead, and tried after 1, 2, 5, 15, 60, 60 s, until a look works', async () => {
    const triedAtMs: number[] = [];
    let isBroken = true;
    register(async (some) => {
      const broken = some.filter((owner) => owner === 'bob' && isBroken);
      if (some.includes('bob')) triedAtMs.push(under.clock.nowMs());
      const { moved } = await complete(some.filter((owner) => !broken.includes(owner)));
      return { unsettled: broken.map(failed), moved };
    });
    await begin(feeding('ann', 0), feeding('bob', 0), feeding('cleo', 0));
    await under.engine.runDue();
    expect(await under.timers.listByOwner('ann')).toEqual([]);
    expect(await under.timers.listByOwner('cleo')).toEqual([]);
    for (const seconds of [1, 2, 5, 15, 60, 60]) {
      expect(await comesAgainInMs('bob')).toBe(seconds * 1000);
      under.clock.advance(seconds * 1000 - 1);
      await under.engine.runDue();
      // Nor does the sweeper take it before.
      await under.engine.sweep();
      under.clock.advance(1);
      await under.engine.runDue();
    }
    expect(triedAtMs.slice(1).map((atMs, at) => (atMs - (triedAtMs[at] ?? 0)) / 1000)).toEqual([1, 2, 5, 15, 60, 60]);
    expect(await under.timers.listStuck()).toMatchObject([
      { owner: 'bob', state: 'scheduled', attempt: 7, revision: 1, lastError: 'Error: broken home' },
    ]);
    isBroken = false;
    under.clock.advance(60_000);
    await under.engine.runDue();
    await changeThings({ put: [feeding('bob', 0)] });
    expect(await under.timers.listByOwner('bob')).toMatchObject([{ attempt: 0, lastError: undefined }]);
  });

  it('that failed is looked at again as soon as the index brings it: one that was mended need not wait', async () => {
    let isBroken = true;
    register(async (some) => (isBroken ? { unsettled: some.map(failed), moved: new Set() } : complete(some)));
    await begin(feeding('ann', 0));
    await under.engine.runDue();
    const [stuck] = await under.timers.listStuck();
    isBroken = false;
    const { id: timerId = '', owner = '', revision = 0 } = stuck ?? {};
    await under.engine.indexWriter.apply({
      put: [{ timerId, owner, revision, fireAtMs: under.clock.nowMs() }],
      remove: [],
    });
    await under.engine.runDue();
    expect(await under.timers.listByOwner('ann')).toEqual([]);
  });

  it('that is locked goes back for as long as it is late, uncounted; all others of its batch are done', async () => {
    let isLocked = true;
    register(async (some) => {
      const free = some.filter((owner) => owner !== 'bob' || !isLocked);
      const { moved } = await complete(free);
      const error = new Error('somebody else has it');
      const locked = some.filter((owner) => !free.includes(owner));
      return { unsettled: locked.map((owner) => ({ owner, error, isLocked: true })), moved };
    });
    await begin(feeding('ann', 0), feeding('bob', 0), feeding('cleo', 0));
    await under.engine.runDue();
    expect(under.events).toContainEqual({ type: 'requeued', reason: 'locked', count: 1 });
    expect(await under.timers.listByOwner('ann')).toEqual([]);
    expect(await under.timers.listByOwner('cleo')).toEqual([]);
    expect(await under.timers.listByOwner('bob')).toMatchObject([{ attempt: 0, revision: 1, fireAtMs: NOW_MS }]);
    expect(await under.index.queue.oldestUnackedMs()).toEqual([0]);
    const pausesMs: number[] = [];
    for (let look = 0; look < 7; look += 1) {
      const pauseMs = await comesAgainInMs('bob');
      pausesMs.push(pauseMs);
      if (look === 6) isLocked = false;
      under.clock.advance(pauseMs);
      await under.engine.runDue();
    }
    expect(pausesMs).toEqual([10, 10, 20, 40, 80, 100, 100]);
    expect(await under.timers.listByOwner('bob')).toEqual([]);
  });

  it('is stuck when its owner was settled and its row is due all the same', async () => {
    register(async () => SETTLED);
    await begin(feeding('ann', 0));
    await under.engine.runDue();
    expect(await under.timers.listStuck()).toMatchObject([{ owner: 'ann', attempt: 1 }]);
    expect(await comesAgainInMs('ann')).toBe(1000);
    under.clock.advance(1000);
    await under.engine.runDue();
    expect(await under.timers.listStuck()).toMatchObject([{ owner: 'ann', attempt: 2 }]);
    expect(await comesAgainInMs('ann')).toBe(2000);
  });

  it('of a retired module fires no more', async () => {
    const settled: string[] = [];
    under.engine.register({
      ...thingKind('feeding', async (some) => {
        settled.push(...some);
        return SETTLED;
      }),
      isRetired: true,
    });
    await begin(feeding('ann', 0));
    await under.engine.runDue();
    await under.engine.sweep();
    expect(settled).toEqual([]);
  });
});
