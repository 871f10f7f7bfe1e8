import { Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type OpenSystem, type Outcome, ownerOf } from '../measure/timer-system.ts';

const QUEUE = 'timers';
const CONCURRENCY = 200;

/**
 * Its lateness depends on Redis' `hz`: an otherwise idle server checks a blocked client's time-out once a tick, and
 * BullMQ's worker waits that way for the next due job.
 */
export const open: OpenSystem = async ({ redisUrl }) => {
  const { queue } = await openQueue(redisUrl, QUEUE);

  return {
    settings: `own jobId, removeOnComplete, one Worker with concurrency ${CONCURRENCY}; a change is changeDelay of a Job made from the id (no look-up), cancel is queue.remove, addBulk of 1,000`,
    schedule: async ({ id, dueAtMs }) =>
      void (await queue.add(QUEUE, { owner: ownerOf(id) }, { jobId: jobIdOf(id), delay: delayUntil(dueAtMs) })),
    bulk: {
      limit: 1_000,
      schedule: async (items) =>
        void (await queue.addBulk(
          items.map(({ id, dueAtMs }) => ({
            name: QUEUE,
            data: { owner: ownerOf(id) },
            opts: { jobId: jobIdOf(id), delay: delayUntil(dueAtMs) },
          })),
        )),
    },
    reschedule: async (id, dueAtMs): Promise<Outcome> => {
      try {
        await new Job(queue, QUEUE, {}, {}, jobIdOf(id)).changeDelay(delayUntil(dueAtMs));
        return 'applied';
      } catch {
        return 'too-late';
      }
    },
    cancel: async (id) => ((await queue.remove(jobIdOf(id))) === 1 ? 'applied' : 'too-late'),
    start: async (fires) => {
      const worker = new Worker(QUEUE, async ({ id = '' }) => fires.handle([Number(id.slice(1))]), {
        connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
        concurrency: CONCURRENCY,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      });
      worker.on('error', () => undefined);
      await worker.waitUntilReady();
    },
  };
};

/** A jobId must not be a whole number. */
const jobIdOf = (id: number): string => `j${id}`;
const delayUntil = (dueAtMs: number): number => Math.max(0, dueAtMs - Date.now());

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
