import { describe, expect, it } from 'vitest';
import { countOf } from '../../support/engine/due-index.ts';
import { entry, HOUR_MS, indexMaker, type MakeIndex, NOW_MS } from './index-scene.ts';

/** The contract of every `IndexMarks`. */
export const indexMarksContract = (name: string, make: MakeIndex): void => {
  describe(`IndexMarks: ${name}`, () => {
    const makeIndex = indexMaker(make);

    it('is whole only after a rebuild was finished', async () => {
      const index = await makeIndex();
      index.inUse.use({ number: 7, shards: index.inUse.maxShards });
      expect(await index.marks.isWhole(0)).toBe(false);
      expect(await index.marks.begin(7)).toBe(true);
      expect(await index.marks.isWhole(0)).toBe(false);
      expect(await index.marks.finish(7)).toBe(true);
      expect(await index.marks.isWhole(0)).toBe(true);
      expect(index.inUse.shards).toBe(index.inUse.maxShards);
    });

    it('does not take the end of one rebuild for that of a later one', async () => {
      const index = await makeIndex();
      index.inUse.use({ number: 7, shards: 1 });
      await index.marks.begin(7);
      index.inUse.use({ number: 8, shards: 1 });
      expect(await index.marks.begin(7)).toBe(false);
      expect(await index.marks.begin(8)).toBe(true);
      expect(await index.marks.finish(7)).toBe(false);
      expect(await index.marks.isWhole(0)).toBe(false);
    });

    it('takes no entries before a generation is begun, nor after it was retired, and says so', async () => {
      const index = await makeIndex();
      index.inUse.use({ number: 7, shards: 1 });
      expect(await index.orders.put([entry(1, NOW_MS)])).toBe(false);
      await index.marks.begin(7);
      expect(await index.orders.put([entry(1, NOW_MS)])).toBe(true);
      await index.marks.retire(6);
      expect(await index.orders.put([entry(2, NOW_MS)])).toBe(true);
      await index.marks.retire(7);
      expect(await index.orders.put([entry(3, NOW_MS)])).toBe(false);
      expect(await countOf(index)).toBe(2);
      expect(await index.marks.finish(7)).toBe(false);
    });

    it('keeps what is put while it is rebuilt', async () => {
      const index = await makeIndex();
      index.inUse.use({ number: 7, shards: 1 });
      await index.marks.begin(7);
      await index.orders.put([entry(1, NOW_MS + HOUR_MS, 2)]);
      await index.marks.finish(7);
      expect(await countOf(index)).toBe(1);
    });
  });
};
