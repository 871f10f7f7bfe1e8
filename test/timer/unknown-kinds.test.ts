import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { kindsOf } from '../support/engine/kinds.ts';
import { type EngineUnderTest, makeEngine, NOW_MS } from '../support/engine/timer-engine.ts';

let under: EngineUnderTest;
beforeEach(async () => {
  under = await makeEngine();
  under.engine.register({ kind: 'own', fire: async () => undefined });
  await under.engine.runDue();
});
afterEach(() => under.dispose());

const timer = (kind: string, subject = 'a') => ({ kind, subject, owner: 'ann', dueAtMs: NOW_MS + 1000 });
const unknown = { name: 'TimerRefused', code: 'kind/unknown', retryable: false };

it('refuses the whole call for a kind that no process ever registered, and says what to do', async () => {
  const call = under.timers.schedule([timer('own'), timer('ordr')]);
  await expect(call).rejects.toMatchObject(unknown);
  await expect(call).rejects.toThrow(/ordr: register it in a process that fires/);
  await expect(under.timers.scheduleOrMove([timer('ordr')])).rejects.toMatchObject(unknown);
  expect(await under.timers.listByOwner('ann')).toEqual([]);
});

it('takes a kind of this process without a look, and that of another after one', async () => {
  const looks = vi.spyOn(under.store, 'registeredKinds');
  await under.timers.schedule([timer('own')]);
  expect(looks).not.toHaveBeenCalled();
  // A process that was deployed a moment ago.
  await under.store.registerKinds(kindsOf('new'));
  expect(await under.timers.schedule([timer('new')])).toMatchObject([{ outcome: 'applied' }]);
  expect(await under.timers.schedule([timer('new', 'b')])).toMatchObject([{ outcome: 'applied' }]);
  expect(looks).toHaveBeenCalledTimes(1);
});

it('leaves a kind of a module to its rules, though only another process has the module', async () => {
  await under.store.registerKinds([{ kind: 'feeding', retentionMs: undefined, module: 'pets' }]);
  const schedules = [
    await under.timers.schedule([timer('feeding')]),
    await under.timers.scheduleOrMove([timer('feeding')]),
  ];
  expect(schedules).toEqual([[{ outcome: 'derived' }], [{ outcome: 'derived' }]]);
  expect(await under.timers.listByOwner('ann')).toEqual([]);
});

it('looks again each time for one that is still unknown', async () => {
  await expect(under.timers.schedule([timer('late')])).rejects.toMatchObject(unknown);
  await under.store.registerKinds(kindsOf('late'));
  expect(await under.timers.schedule([timer('late')])).toMatchObject([{ outcome: 'applied' }]);
});

it('asks in a transaction, and in a handler', async () => {
  await under.store.registerKinds(kindsOf('known'));
  const outcomes: unknown[] = [];
  under.engine.register({
    kind: 'handled',
    fire: async (_timers, tx) => {
      outcomes.push(...(await tx.timers.schedule([timer('known', 'handler')])));
      outcomes.push(await tx.timers.schedule([timer('ordr')]).catch((error: Error) => error));
      return undefined;
    },
  });
  await under.timers.schedule([{ ...timer('handled'), dueAtMs: NOW_MS }]);
  await under.engine.runDue();
  expect(outcomes).toMatchObject([{ outcome: 'applied' }, unknown]);
  await expect(under.timers.transaction((timers) => timers.schedule([timer('ordr')]))).rejects.toMatchObject(unknown);
});

it('needs no kind for what changes timers that are there', async () => {
  expect(await under.timers.cancel([{ kind: 'ordr', subject: 'a' }])).toEqual([{ outcome: 'not-found' }]);
});
