import { describe, expect, it } from 'vitest';
import { beginGeneration, countOf } from '../../support/engine/due-index.ts';
import { entry, indexMaker, type MakeIndex, NOW_MS } from './index-scene.ts';

/** The contract of every `GenerationInUse`. */
export const generationInUseContract = (name: string, make: MakeIndex): void => {
  describe(`GenerationInUse: ${name}`, () => {
    const makeIndex = indexMaker(make);

    it('starts each generation empty, and not whole', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS, 1, 'ann')]);
      await beginGeneration(index, { number: 7, shards: 1 });
      expect(await index.orders.listByOwner('ann')).toEqual([]);
      expect(await index.orders.counts()).toEqual([0]);
      index.inUse.use({ number: 8, shards: 1 });
      expect(await index.marks.isWhole(0)).toBe(false);
    });

    it('places every owner in one of its shards, the same each time, and reaches each of them', async () => {
      const { inUse } = await makeIndex();
      const shards = Array.from({ length: 500 }, (_, at) => inUse.shardOf(`player-${at}`));
      expect(new Set(shards)).toEqual(new Set(Array.from({ length: inUse.shards }, (_, shard) => shard)));
      expect(Array.from({ length: 500 }, (_, at) => inUse.shardOf(`player-${at}`))).toEqual(shards);
    });

    it('loses nothing when the generation that is in use is named again', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS)]);
      index.inUse.use({ number: index.inUse.number, shards: index.inUse.shards });
      expect(await countOf(index)).toBe(1);
    });
  });
};
