import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** A queue as BullMQ's pages recommend for jobs without later inspection, on its own connection. */
export const openQueue = async (redisUrl: string, name: string) => {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue(name, {
    connection,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    streams: { events: { maxLen: 1_000 } },
  });
  queue.on('error', () => undefined);
  await queue.waitUntilReady();
  return { connection, queue };
};
