import { expect, it } from 'vitest';
import { thing } from '../../../contract/timer-store/store-scene.ts';
import { thingKind } from '../../../support/engine/kinds.ts';
import { makeScene, NOW_MS } from './sweeper-scene.ts';

const UNTIL_MS = NOW_MS + 10_000;

/** A thing of ann's and one of bob's that are due, of which the index was never told. Ann's home failed. */
const makeHolds = async (isAway: boolean) => {
  const scene = await makeScene({ isAway });
  const { store, index, kinds, batches } = scene;
  kinds.register(thingKind('feeding'));
  await store.registerKinds([{ kind: 'feeding', retentionMs: undefined, module: 'pets' }]);
  const { put } = await store.changeThings({ put: [thing('ann', 'a', -5000), thing('bob', 'b', -5000)] });
  await store.hold([{ owner: 'ann', untilMs: UNTIL_MS, attempt: 3, lastError: 'no' }]);
  const ids = new Map(put.map(({ owner, timerId }) => [timerId, owner]));
  const fired = () => [...new Set(batches.flat())].map((id) => ids.get(id));
  const told = async () => [...(await index.orders.fireTimes(put)).keys()].map((id) => ids.get(id));
  return { ...scene, fired, told };
};

it('a home on hold is fired by nobody before its time, while the index is away', async () => {
  const { sweepFor, fired } = await makeHolds(true);
  await sweepFor(9900);
  expect(fired()).toEqual(['bob']);
  await sweepFor(200);
  expect(fired()).toEqual(['bob', 'ann']);
});

it('nor is the index told of it before its time and the grace that it has to bring it', async () => {
  const { sweepFor, told } = await makeHolds(false);
  await sweepFor(11_900);
  expect(await told()).toEqual(['bob']);
  await sweepFor(1200);
  expect(await told()).toEqual(['ann', 'bob']);
});
