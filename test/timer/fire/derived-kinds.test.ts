import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DerivedKind, Unsettled } from '../../../server/timer/model/timer-kind.ts';
import { type EngineUnderTest, makeEngine, NOW_MS } from '../../support/engine/timer-engine.ts';

let under: EngineUnderTest;
beforeEach(async () => {
  under = await makeEngine();
});
afterEach(() => under.dispose());

const feeding = (owner: string, delayMs: number) => ({
  kind: 'feeding',
  subject: `${owner}-bowl`,
  owner,
  dueAtMs: NOW_MS + delayMs,
});

const scheduleDerived = async (rows: ReturnType<typeof feeding>[]): Promise<void> => {
  const changes = await under.store.transaction((tx) => under.store.changeDerived(tx, { put: rows }, NOW_MS));
  await under.engine.indexWriter.apply(changes);
};

/** As the home path does: ends the owners' due rows in a transaction of its own. */
const complete = async (owners: readonly string[]): Promise<readonly Unsettled[]> => {
  const keys = owners.map((owner) => ({ kind: 'feeding', subject: `${owner}-bowl` }));
  const changes = await under.store.transaction((tx) => under.store.changeDerived(tx, { end: keys }, NOW_MS));
  await under.engine.indexWriter.apply(changes);
  return [];
};

const register = (settle: DerivedKind['settle']): void =>
  under.engine.register({ kind: 'feeding', derived: true, settle });

describe('a derived kind', () => {
  it('has the owners of due timers settled, each once in a batch, and nobody else', async () => {
    const settled: string[][] = [];
    register(async (owners) => {
      settled.push([...owners].sort());
      return complete(owners);
    });
    await scheduleDerived([feeding('ann', 0), feeding('bob', 0), feeding('cleo', 1)]);
    await under.engine.runDue();
    expect(settled).toEqual([['ann', 'bob']]);
  });

  it('is refused to generic writes, by key and by id', async () => {
    register(complete);
    await scheduleDerived([feeding('ann', 1000)]);
    const [row] = await under.timers.listByOwner('ann');
    const [scheduled] = await under.timers.schedule([feeding('bob', 1)]);
    expect(scheduled).toEqual({ outcome: 'derived' });
    const outcomes = await under.timers.cancel([{ timerId: row?.id ?? '' }, { kind: 'feeding', subject: 'ann-bowl' }]);
    expect(outcomes).toEqual([{ outcome: 'derived' }, { outcome: 'derived' }]);
    expect(await under.timers.cancelByOwner(['ann'])).toEqual([]);
    expect(await under.timers.listByOwner('ann')).toEqual([row]);
  });

  it('isolates an owner that cannot be settled; it is stuck, never dead, and tried after 1, 2, 5, 15, 60, 60 s', async () => {
    const triedAtMs: number[] = [];
    register(async (owners) => {
      if (owners.includes('bob')) {
        if (owners.length === 1) triedAtMs.push(under.clock.nowMs());
        throw new Error('broken home');
      }
      return complete(owners);
    });
    await scheduleDerived([feeding('ann', 0), feeding('bob', 0), feeding('cleo', 0)]);
    await under.engine.runDue();
    expect(await under.timers.listByOwner('ann')).toEqual([]);
    expect(await under.timers.listByOwner('cleo')).toEqual([]);
    for (const seconds of [1, 2, 5, 15, 60, 60]) {
      under.clock.advance(seconds * 1000 - 1);
      await under.engine.runDue();
      under.clock.advance(1);
      await under.engine.runDue();
    }
    expect(triedAtMs.slice(1).map((atMs, at) => (atMs - (triedAtMs[at] ?? 0)) / 1000)).toEqual([1, 2, 5, 15, 60, 60]);
    expect(await under.timers.listStuck()).toMatchObject([{ owner: 'bob', state: 'scheduled', attempt: 7 }]);
  });

  it('that is locked goes back for as long as it is late, uncounted; all others of its batch are done', async () => {
    let isLocked = true;
    register(async (owners) => {
      const free = owners.filter((owner) => owner !== 'bob' || !isLocked);
      await complete(free);
      const error = new Error('somebody else has it');
      return owners.filter((owner) => !free.includes(owner)).map((owner) => ({ owner, error, isLocked: true }));
    });
    await scheduleDerived([feeding('ann', 0), feeding('bob', 0), feeding('cleo', 0)]);
    await under.engine.runDue();
    expect(under.events).toContainEqual({ type: 'put-back', reason: 'locked', count: 1 });
    expect(await under.timers.listByOwner('ann')).toEqual([]);
    expect(await under.timers.listByOwner('cleo')).toEqual([]);
    expect(await under.timers.listByOwner('bob')).toMatchObject([{ attempt: 0, revision: 1 }]);
    expect(await under.index.queue.oldestUnackedMs()).toEqual([0]);
    const comesAgainIn = async () => {
      const [entry] = await under.index.orders.listByOwner('bob');
      return (entry?.fireAtMs ?? 0) - under.clock.nowMs();
    };
    const pausesMs: number[] = [];
    for (let look = 0; look < 7; look += 1) {
      const pauseMs = await comesAgainIn();
      pausesMs.push(pauseMs);
      if (look === 6) isLocked = false;
      under.clock.advance(pauseMs);
      await under.engine.runDue();
    }
    expect(pausesMs).toEqual([10, 10, 20, 40, 80, 100, 100]);
    expect(await under.timers.listByOwner('bob')).toEqual([]);
  });

  it('is stuck when its owner was settled and its row is due all the same', async () => {
    register(async () => []);
    await scheduleDerived([feeding('ann', 0)]);
    await under.engine.runDue();
    expect(await under.timers.listStuck()).toMatchObject([{ owner: 'ann', attempt: 1 }]);
  });
});
