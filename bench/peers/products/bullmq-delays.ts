import { Job } from 'bullmq';
import type { OpenDelays } from '../delays.ts';
import { openQueue } from './bullmq.ts';

const QUEUE = 'feedings';
const BULK = 1_000;
/** BullMQ stores the due time of a delayed job shifted by the bits that order jobs of one millisecond. */
const ORDERS_A_MS = 0x1000;

export const open: OpenDelays = async (redisUrl) => {
  const { connection, queue } = await openQueue(redisUrl, QUEUE);

  return {
    add: async (jobs) => {
      for (let from = 0; from < jobs.length; from += BULK) {
        const part = jobs.slice(from, from + BULK);
        await queue.addBulk(
          part.map(({ playerId, dueAtMs }) => ({
            name: QUEUE,
            data: { playerId },
            opts: { jobId: playerId, delay: dueAtMs - Date.now() },
          })),
        );
      }
    },
    // Made from the id, without a look-up.
    change: ({ playerId, dueAtMs }) => new Job(queue, QUEUE, {}, {}, playerId).changeDelay(dueAtMs - Date.now()),
    dueTimes: async () => {
      const flat = await connection.zrange(queue.toKey('delayed'), 0, -1, 'WITHSCORES');
      const found = new Map<string, number>();
      for (let at = 0; at < flat.length; at += 2)
        found.set(flat[at] ?? '', Math.floor(Number(flat[at + 1]) / ORDERS_A_MS));
      return found;
    },
    close: async () => {
      await queue.close();
      connection.disconnect();
    },
  };
};
