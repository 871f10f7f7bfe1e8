import { expect, it } from 'vitest';
import { sabotaged } from '../support/engine/sabotaged.ts';
import { makeMemoryEngine, NOW_MS } from '../support/engine/timer-engine.ts';

it('fires what an earlier runDue received before it threw', async () => {
  let isAway = false;
  const { engine, timers } = await makeMemoryEngine((store) =>
    sabotaged(store, { read: (refs) => (isAway ? Promise.reject(new Error('no rows')) : store.read(refs)) }),
  );
  const fired: string[] = [];
  engine.register({ kind: 'order', call: async ({ subject }) => void fired.push(subject) });
  await engine.runDue();
  await timers.schedule([{ kind: 'order', subject: 's', owner: 'ann', dueAtMs: NOW_MS }]);
  isAway = true;
  await expect(engine.runDue()).rejects.toThrow('no rows');
  isAway = false;
  expect(await engine.runDue()).toBe(1);
  expect(fired).toEqual(['s']);
});
