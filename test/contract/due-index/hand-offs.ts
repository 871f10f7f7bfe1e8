import { describe, expect, it } from 'vitest';
import { popDue } from '../../model/due-index-model.ts';
import { entry, HOUR_MS, indexMaker, type MakeIndex, NOW_MS, nextFireAtMs } from './index-scene.ts';

/** The contract of every `HandOffs`. */
export const handOffsContract = (name: string, make: MakeIndex): void => {
  describe(`HandOffs: ${name}`, () => {
    const makeIndex = indexMaker(make);

    it('hands off nothing one millisecond early, and the timer at its very millisecond', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS, 2047)]);
      expect(await popDue(index, NOW_MS - 1)).toEqual([]);
      expect(await popDue(index, NOW_MS)).toEqual(['1']);
    });

    it('hands one owner’s timers off in due order', async () => {
      const index = await makeIndex();
      const times = [5, 1, 4, 2, 3];
      await index.orders.put(times.map((time) => entry(time, NOW_MS + time, 1, 'ann')));
      expect(await popDue(index, NOW_MS + 10)).toEqual(['1', '2', '3', '4', '5']);
    });

    it('answers the fire time of the new head after a hand-off', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS, 1, 'ann'), entry(2, NOW_MS + 7, 3, 'ann')]);
      const answers = [];
      for (let shard = 0; shard < index.inUse.shards; shard += 1)
        answers.push(await index.handOffs.handOff(shard, NOW_MS, 1));
      expect(answers.flatMap(({ moved, nextFireAtMs: next }) => (moved > 0 ? [next] : []))).toEqual([NOW_MS + 7]);
      await index.orders.remove([{ timerId: '2', owner: 'ann', revision: 3 }]);
      expect(await nextFireAtMs(index)).toBeUndefined();
    });

    it('tells of an earlier head', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS + HOUR_MS, 1, 'ann')]);
      const told = new Promise<number>((resolve) => {
        index.handOffs.onEarlierHead((_shard, fireAtMs) => fireAtMs === NOW_MS && resolve(fireAtMs));
      });
      await index.orders.put([entry(2, NOW_MS, 1, 'ann')]);
      expect(await told).toBe(NOW_MS);
    });
  });
};
