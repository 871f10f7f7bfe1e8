import { expect, it } from 'vitest';
import { countOf } from '../../../support/engine/due-index.ts';
import { makeScene, NOW_MS, timesOf } from './sweeper-scene.ts';

it.each(['paused', 'unknown'])('finds what lies behind 10,000 %s rows', async (state) => {
  const { index, store, sweepFor, lose } = await makeScene();
  if (state === 'paused') await store.setPaused('hint', true);
  await lose(
    Array.from({ length: 10_000 }, (_, at) => `player-${at}`),
    { kind: state === 'paused' ? 'hint' : 'nobody', dueAtMs: NOW_MS - 60_000 },
  );
  const timers = await lose(['ann']);
  await sweepFor(7000);
  expect((await timesOf(index, timers)).size).toBe(1);
  expect(await countOf(index)).toBe(1);
});

it('fires what lies behind 10,000 paused rows while the index is away', async () => {
  const { store, sweepFor, lose, batches } = await makeScene({ isAway: true });
  await store.setPaused('hint', true);
  await lose(
    Array.from({ length: 10_000 }, (_, at) => `player-${at}`),
    { kind: 'hint', dueAtMs: NOW_MS - 60_000 },
  );
  const [timer] = await lose(['ann']);
  await sweepFor(100);
  expect(batches).toEqual([[timer?.id]]);
});
