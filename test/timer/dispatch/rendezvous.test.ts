import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rendezvous } from '../../../server/timer/dispatch/shard-owners.ts';

const shards = Array.from({ length: 64 }, (_, shard) => shard);
const names = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 8 });

it('names one of the nodes, the same in whichever order they are known', () => {
  fc.assert(
    fc.property(names, (nodes) => {
      for (const shard of shards) {
        const node = rendezvous(shard, nodes);
        expect(nodes).toContain(node);
        expect(rendezvous(shard, [...nodes].reverse())).toBe(node);
      }
    }),
  );
});

it('moves no shard but the leaver’s when a node leaves', () => {
  fc.assert(
    fc.property(names, (nodes) => {
      const [leaver, ...rest] = nodes;
      for (const shard of shards) {
        const before = rendezvous(shard, nodes);
        if (before !== leaver) expect(rendezvous(shard, rest)).toBe(before);
      }
    }),
  );
});

it('spreads the shards: of 3 nodes none has more than half of 1024', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid(), { minLength: 3, maxLength: 3 }), (nodes) => {
      const counts = new Map<string | undefined, number>();
      for (let shard = 0; shard < 1024; shard += 1) {
        const node = rendezvous(shard, nodes);
        counts.set(node, 1 + (counts.get(node) ?? 0));
      }
      expect(Math.max(...counts.values())).toBeLessThan(512);
    }),
  );
});

it('has no answer where nobody lives', () => {
  expect(rendezvous(0, [])).toBeUndefined();
});
