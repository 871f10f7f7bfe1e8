import type { DueIndex } from '../../../server/timer/index/due-index.ts';

/** How many entries wait to be due, in all shards. */
export const countOf = async ({ orders }: Pick<DueIndex, 'orders'>): Promise<number> =>
  (await orders.counts()).reduce((sum, count) => sum + count, 0);
