import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** A queue as BullMQ's pages advise for jobs that are not looked at afterwards, on a connection of its own. */
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
