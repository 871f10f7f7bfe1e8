import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'pg';
import { type Item, type OpenSystem, ownerOf, POOL_SIZE } from '../measure/timer-system.ts';

const TASK = 'timers';
const CONCURRENCY = 200;
const POLL_MS = 20;
const LOCAL_QUEUE = 2_000;

const logger = new Logger(() => () => undefined);

/** `variant` by-id: changes call `rescheduleJobs` with the caller's stored ids, instead of the job key. */
export const open: OpenSystem = async ({ postgresUrl }, variant) => {
  const pool = new Pool({ connectionString: postgresUrl, max: POOL_SIZE });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const worker = await makeWorkerUtils({ pgPool: pool, logger });
  await worker.migrate();
  const jobIds = new Map<number, string>();
  const keep = (id: number, jobId: string): void => {
    if (variant === 'by-id') jobIds.set(id, jobId);
  };
  /** A row of nulls means that the job was locked during the call. */
  const add = async ({ id, dueAtMs }: Item): Promise<boolean> => {
    const job = await worker.addJob(TASK, payloadOf(id), { jobKey: keyOf(id), runAt: new Date(dueAtMs) });
    keep(id, job.id);
    return job.id != null;
  };

  return {
    settings: `pool ${POOL_SIZE}, concurrentJobs ${CONCURRENCY}, pollInterval ${POLL_MS} ms (default 2,000), localQueue ${LOCAL_QUEUE}, batched completions; a change is ${variant === 'by-id' ? 'rescheduleJobs of the kept id' : 'addJob with the same jobKey'}, cancel is remove_job, addJobs of 1,000`,
    schedule: async (item) => void (await add(item)),
    bulk: {
      limit: 1_000,
      schedule: async (items) => {
        const jobs = await worker.addJobs(
          items.map(({ id, dueAtMs }) => ({
            identifier: TASK,
            payload: payloadOf(id),
            jobKey: keyOf(id),
            runAt: new Date(dueAtMs),
          })),
        );
        for (const { id, key } of jobs) keep(Number(key?.slice(1)), id);
      },
    },
    reschedule: async (id, dueAtMs) => {
      if (variant !== 'by-id') return (await add({ id, dueAtMs })) ? 'applied' : 'too-late';
      const jobId = jobIds.get(id);
      if (jobId === undefined) return 'too-late';
      const changed = await worker.rescheduleJobs([jobId], { runAt: new Date(dueAtMs) });
      return changed.length === 1 ? 'applied' : 'too-late';
    },
    cancel: async (id) => {
      const text = 'select (graphile_worker.remove_job($1)).id';
      const { rows } = await pool.query<{ id: string | null }>({ name: 'remove', text, values: [keyOf(id)] });
      return rows[0]?.id == null ? 'too-late' : 'applied';
    },
    start: async (fires) => {
      await run({
        pgPool: pool,
        logger,
        noHandleSignals: true,
        taskList: { [TASK]: async (payload) => fires.handle([(payload as { readonly id: number }).id]) },
        preset: {
          worker: {
            concurrentJobs: CONCURRENCY,
            pollInterval: POLL_MS,
            maxPoolSize: POOL_SIZE,
            localQueue: { size: LOCAL_QUEUE },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      });
    },
  };
};

const keyOf = (id: number): string => `j${id}`;
const payloadOf = (id: number) => ({ id, owner: ownerOf(id) });
