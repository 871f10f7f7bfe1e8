import { expect, it } from 'vitest';
import { Share } from '../../../../server/timer/fire/batches.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';

/** Works that last until they are ended by hand. */
const worksIn = (share: Share) => {
  const begun: number[] = [];
  const ends: PromiseWithResolvers<number>[] = [];
  const use = () => {
    const at = ends.push(Promise.withResolvers<number>()) - 1;
    return share.use(() => {
      begun.push(at);
      return (ends[at] as PromiseWithResolvers<number>).promise;
    });
  };
  return {
    begun,
    use,
    end: (at: number) => ends[at]?.resolve(at),
    fail: (at: number) => ends[at]?.reject(new Error('no')),
  };
};

it('runs so many works at once, and the others in their order', async () => {
  const { begun, use, end } = worksIn(new Share(2));
  const first = use();
  for (let more = 0; more < 3; more += 1) void use();
  await quiet();
  expect(begun).toEqual([0, 1]);
  end(0);
  expect(await first).toBe(0);
  await quiet();
  expect(begun).toEqual([0, 1, 2]);
  end(2);
  await quiet();
  expect(begun).toEqual([0, 1, 2, 3]);
});

it('gives its place to the next when one fails, and keeps it free when nobody waits', async () => {
  const { begun, use, end, fail } = worksIn(new Share(1));
  const failing = use();
  const next = use();
  fail(0);
  await expect(failing).rejects.toThrow('no');
  await quiet();
  expect(begun).toEqual([0, 1]);
  end(1);
  await next;
  void use();
  void use();
  await quiet();
  expect(begun).toEqual([0, 1, 2]);
});

it('begins nothing any more once it is stopped: what runs goes on', async () => {
  const share = new Share(1);
  const { begun, use, end } = worksIn(share);
  const running = use();
  const waiting = use();
  await quiet();
  share.stop();
  expect(await waiting).toBeUndefined();
  end(0);
  expect(await running).toBe(0);
  expect(await use()).toBeUndefined();
  expect(begun).toEqual([0]);
});
