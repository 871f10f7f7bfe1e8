import { describe, expect, it } from 'vitest';
import type { FailedOwner } from '../../../server/timer/model/timer-kind.ts';
import { causesOf } from '../../../shared/game-code.ts';
import { thingKind } from '../../support/engine/kinds.ts';
import { sabotaged } from '../../support/engine/sabotaged.ts';
import { makeMemoryEngine, NOW_MS } from '../../support/engine/timer-engine.ts';

const noWorld = new Error('no Postgres');
const stillDue = new Error('still due after its owner was settled');

/** The outcome of a settle: whose timers it moves, whether it reports them, and the owners that it does not settle. */
interface Settle {
  readonly moves?: readonly string[];
  readonly isReported?: boolean;
  readonly unsettled?: readonly FailedOwner[];
  readonly error?: Error;
}

/** Two timers of ann and one of bob are due. */
const makeScene = async (isHoldFaulty = false) => {
  const reread: (readonly string[])[] = [];
  const holding: number[] = [];
  const under = await makeMemoryEngine((store) =>
    sabotaged(store, {
      isWorldFault: (error) => causesOf(error).includes(noWorld),
      hold: (holds) => {
        holding.push(holds.length);
        return isHoldFaulty ? Promise.reject(noWorld) : store.hold(holds);
      },
      stillDue: (seen) => {
        reread.push(seen.map(({ subject }) => subject));
        return store.stillDue(seen);
      },
    }),
  );
  const { engine, store, index, events } = under;
  const asked: (readonly string[])[] = [];
  let settle: Settle = {};
  engine.register(
    thingKind('pet', async (owners) => {
      asked.push(owners);
      const { moves = [], isReported = true, unsettled = [], error } = settle;
      if (error) throw error;
      const { remove } = await store.changeThings({ end: await store.listByOwners(moves) });
      return { unsettled, moved: new Set(isReported ? remove.map(({ timerId }) => timerId) : []) };
    }),
  );
  await engine.join();
  const pet = (subject: string) => ({ kind: 'pet', subject, owner: subject.slice(0, 3), dueAtMs: NOW_MS });
  const put = (...subjects: readonly string[]) => store.changeThings({ put: subjects.map(pet) });
  await engine.indexWriter.apply(await put('ann~1', 'ann~2', 'bob~1'));
  /** Delivers what is due, and returns the events of it with names instead of timers. */
  const run = async (next: Settle) => {
    settle = next;
    events.length = 0;
    await engine.runDue();
    return events.flatMap((event): unknown[] => {
      if (event.type === 'fired') return [`fired ${event.timers.map(({ subject }) => subject).join(' ')}`];
      if (event.type === 'stuck') return [`stuck ${event.timer.subject}`, event.error];
      return event.type === 'requeued' ? [`${event.reason} ${event.count}`] : [];
    });
  };
  /** When the timers of an owner come again, from now. */
  const waitsMs = async (owner: string) =>
    (await index.orders.listByOwner(owner)).map(({ fireAtMs }) => fireAtMs - under.clock.nowMs());
  return { ...under, asked, reread, holding, put, run, waitsMs };
};
const unsettled = (owner: string, error: Error, isLocked = false) => [{ owner, error, isLocked }];

describe('timers of a settled owner', () => {
  it('have fired if the settle moved them; nothing is read again or held for that', async () => {
    const { run, asked, reread, holding } = await makeScene();
    expect(await run({ moves: ['ann', 'bob'] })).toEqual(['fired ann~1 ann~2 bob~1']);
    expect([asked, reread, holding]).toEqual([[['ann', 'bob']], [], []]);
  });

  it('have fired if others moved them, and are stuck if they are due still: these alone are read again', async () => {
    const { run, reread, waitsMs } = await makeScene();
    const events = await run({ moves: ['bob'], isReported: false });
    expect(events).toEqual(['fired bob~1', 'stuck ann~1', stillDue, 'stuck ann~2', stillDue]);
    expect([reread, await waitsMs('ann')]).toEqual([[['ann~1', 'ann~2', 'bob~1']], [1000, 1000]]);
    const next = await makeScene();
    await next.run({ moves: ['bob'] });
    expect(next.reread).toEqual([['ann~1', 'ann~2']]);
  });

  it('release their home, unless another of its timers is due still', async () => {
    const { run, store, put } = await makeScene();
    const holds = ['ann', 'bob'].map((owner) => ({ owner, untilMs: NOW_MS, attempt: 3, lastError: 'no' }));
    await store.hold(holds);
    await run({ moves: ['bob'] });
    await put('bob~1');
    expect(await store.listByOwners(['bob'])).toMatchObject([{ attempt: 0, lastError: undefined }]);
    expect((await store.listByOwners(['ann'])).map(({ attempt }) => attempt)).toEqual([4, 4]);
  });
});

describe('timers of an owner that is not settled', () => {
  it.each([
    ['in 10 ms if the owner is locked', unsettled('ann', noWorld, true), 'locked 2', 10],
    ['in half a second if the world failed', unsettled('ann', noWorld), 'world-fault 2', 500],
  ])('come again, uncounted, %s; the others fire', async (_what, some, event, waitMs) => {
    const { run, store, waitsMs } = await makeScene();
    expect(await run({ moves: ['bob'], unsettled: some })).toEqual(['fired bob~1', event]);
    expect(await waitsMs('ann')).toEqual([waitMs, waitMs]);
    expect(await store.listByOwners(['ann'])).toMatchObject([{ attempt: 0 }, { attempt: 0 }]);
  });

  it('are stuck together if the owner fails, with its error, and held longer each time', async () => {
    const { run, store, clock, waitsMs } = await makeScene();
    const error = new Error('ann is broken');
    const failing = { moves: ['bob'], unsettled: unsettled('ann', error) };
    expect(await run(failing)).toEqual(['fired bob~1', 'stuck ann~1', error, 'stuck ann~2', error]);
    const held = { attempt: 1, fireAtMs: NOW_MS + 1000, lastError: 'Error: ann is broken', revision: 1 };
    expect(await store.listByOwners(['ann'])).toMatchObject([held, held]);
    const [waitMs = 0] = await waitsMs('ann');
    clock.advance(waitMs);
    await run(failing);
    expect(await waitsMs('ann')).toEqual([2000, 2000]);
  });

  it('of two owners that fail are held in one statement, each by its own attempts and error', async () => {
    const { run, store, holding, waitsMs } = await makeScene();
    await store.hold([{ owner: 'ann', untilMs: NOW_MS, attempt: 2, lastError: 'no' }]);
    const [one, two] = [new Error('no food'), new Error('no bed')];
    await run({ unsettled: [...unsettled('ann', one), ...unsettled('bob', two)] });
    expect(holding).toEqual([2]);
    expect([await waitsMs('ann'), await waitsMs('bob')]).toEqual([[5000, 5000], [1000]]);
    const ofAnn = { attempt: 3, lastError: 'Error: no food' };
    expect(await store.listByOwners(['ann'])).toMatchObject([ofAnn, ofAnn]);
    expect(await store.listByOwners(['bob'])).toMatchObject([{ attempt: 1, lastError: 'Error: no bed' }]);
  });

  it.each([
    [99, 100],
    [32_767, 32_767],
  ])(
    'are held for a minute, for ever, and counted as far as the column goes: %s, then %s',
    async (attempt, counted) => {
      const { run, store, waitsMs } = await makeScene();
      await store.hold([{ owner: 'ann', untilMs: NOW_MS, attempt, lastError: 'no' }]);
      await run({ moves: ['bob'], unsettled: unsettled('ann', new Error('no')) });
      expect(await waitsMs('ann')).toEqual([60_000, 60_000]);
      expect((await store.listByOwners(['ann'])).map((timer) => timer.attempt)).toEqual([counted, counted]);
    },
  );

  it('come again in half a second if its home cannot be held', async () => {
    const { run, store, waitsMs } = await makeScene(true);
    expect(await run({ moves: ['bob'] })).toEqual([
      'fired bob~1',
      'stuck ann~1',
      stillDue,
      'stuck ann~2',
      stillDue,
      'world-fault 2',
    ]);
    expect(await waitsMs('ann')).toEqual([500, 500]);
    expect(await store.listByOwners(['ann'])).toMatchObject([{ attempt: 0 }, { attempt: 0 }]);
  });

  it('come again in half a second if the settle itself fails', async () => {
    const { run, waitsMs } = await makeScene();
    expect(await run({ error: new Error('a bug') })).toEqual(['world-fault 3']);
    expect([await waitsMs('ann'), await waitsMs('bob')]).toEqual([[500, 500], [500]]);
  });
});
