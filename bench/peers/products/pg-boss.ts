import { PgBoss } from 'pg-boss';
import { type OpenSystem, ownerOf, POOL_SIZE } from '../measure/timer-system.ts';

const QUEUE = 'timers';
const BATCH = 1_000;
const WORKERS = 4;
/** The smallest accepted value. */
const POLL_S = 0.5;

export const open: OpenSystem = async ({ postgresUrl }) => {
  const boss = new PgBoss({ connectionString: postgresUrl, max: POOL_SIZE });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(QUEUE, { retryLimit: 0 });

  return {
    settings: `pool ${POOL_SIZE}, own uuid, batchSize ${BATCH}, pollingIntervalSeconds ${POLL_S} (the least), burstWhenBatchFull, localConcurrency ${WORKERS}; a change is update(), insert() of 1,000`,
    schedule: async ({ id, dueAtMs }) =>
      void (await boss.send(QUEUE, { owner: ownerOf(id) }, { id: uuidOf(id), startAfter: new Date(dueAtMs) })),
    bulk: {
      limit: 1_000,
      schedule: async (items) =>
        void (await boss.insert(
          QUEUE,
          items.map(({ id, dueAtMs }) => ({
            id: uuidOf(id),
            data: { owner: ownerOf(id) },
            startAfter: new Date(dueAtMs),
          })),
        )),
    },
    reschedule: async (id, dueAtMs) => {
      const { updated } = await boss.update(QUEUE, undefined, { id: uuidOf(id), startAfter: new Date(dueAtMs) });
      return updated === 1 ? 'applied' : 'too-late';
    },
    cancel: async (id) => {
      const { affected } = (await boss.cancel(QUEUE, uuidOf(id))) as { readonly affected?: number };
      return affected === 1 ? 'applied' : 'too-late';
    },
    start: async (fires) => {
      await boss.work(
        QUEUE,
        { batchSize: BATCH, pollingIntervalSeconds: POLL_S, burstWhenBatchFull: true, localConcurrency: WORKERS },
        async (jobs) => fires.handle(jobs.map(({ id }) => idOf(id))),
      );
    },
  };
};

const uuidOf = (id: number): string => `00000000-0000-4000-8000-${id.toString(16).padStart(12, '0')}`;
const idOf = (uuid: string): number => Number.parseInt(uuid.slice(24), 16);
