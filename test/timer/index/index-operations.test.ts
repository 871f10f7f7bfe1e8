import { expect, it } from 'vitest';
import { indexActs } from '../../../server/ops/acts/index-acts.ts';
import { IndexUnavailable } from '../../../server/timer/index/due-index.ts';
import { indexOperations } from '../../../server/timer/index-operations.ts';

/** The care of an index that is in these states, before a comparison and after it. */
const careOf = (...states: readonly { readonly number: number; readonly isWhole: boolean }[]) => {
  let looks = 0;
  return indexOperations({
    watch: { look: async () => ({ ...states[looks++], pulse: 0 }) },
    index: { marks: { isWhole: async () => states[looks - 1]?.isWhole } },
    reconciler: { reconcile: async () => ({ missing: 7, misplaced: 0, ghosts: 0 }) },
  } as never);
};
const whole = { number: 1, isWhole: true };

it('differences are those of a whole index', async () => {
  expect(await careOf(whole, whole).reconcile()).toMatchObject({ missing: 7 });
});

it.each([
  ['before', [{ number: 1, isWhole: false }]],
  ['from the middle on', [whole, { number: 2, isWhole: false }]],
  ['in the middle alone', [whole, { number: 2, isWhole: true }]],
])('an index that is refilled %s is not compared', async (_, states) => {
  await expect(careOf(...states).reconcile()).rejects.toThrow(IndexUnavailable);
});

it('an operator is told why it is not compared', async () => {
  const state = { generation: 1, shards: 1, wantedShards: undefined, isWhole: false, inside: undefined };
  const index = { ...careOf({ number: 1, isWhole: false }), state: async () => state };
  const audit = {
    transaction: (work: (tx: object) => unknown) => work({}),
    earlier: async () => undefined,
    isWorldFault: () => false,
  };
  const order = { operator: { name: 'ada', role: 'admin' }, input: { commandId: 'a-command', reason: 'a test' } };
  const result = await indexActs.reconcile({ index, audit } as never, order as never);
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'index/impossible', params: { why: expect.stringContaining('being refilled') } },
  });
});
