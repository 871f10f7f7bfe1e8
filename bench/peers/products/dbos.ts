import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { type Fires, type OpenSystem, ownerOf, POOL_SIZE } from '../measure/timer-system.ts';

const QUEUE = 'timers';
const VERSION = 'v1';
const POLL_MS = 100;

/** Delayed workflows on a queue. Callers use the client; workflows run in `DBOS.launch()`. */
export const open: OpenSystem = async ({ postgresUrl }) => {
  let fires: Fires | undefined;
  DBOS.registerWorkflow(async (id: number, _owner: number) => fires?.handle([id]), { name: QUEUE });
  const launch = async (listenQueues?: string[]): Promise<void> => {
    DBOS.setConfig({
      name: 'bench',
      systemDatabaseUrl: postgresUrl,
      systemDatabasePoolSize: POOL_SIZE,
      runAdminServer: false,
      logLevel: 'error',
      applicationVersion: VERSION,
      ...(listenQueues && { listenQueues }),
    } as never);
    await DBOS.launch();
    await DBOS.registerQueue(QUEUE, { minPollingIntervalMs: POLL_MS });
  };
  // Makes the tables, which the client does not do.
  await launch([]);
  await DBOS.shutdown();
  const client = await DBOSClient.create({
    systemDatabaseUrl: postgresUrl,
    systemDatabasePoolSize: POOL_SIZE,
  } as never);

  return {
    settings: `delayed workflow on a queue, minPollingIntervalMs ${POLL_MS} (delayed ones are looked for each 1,000 ms, fixed), pool ${POOL_SIZE}, own workflowID; a change is setWorkflowDelay, cancel is cancelWorkflow; no bulk call`,
    schedule: async ({ id, dueAtMs }) => {
      const options = {
        queueName: QUEUE,
        workflowName: QUEUE,
        workflowID: workflowIdOf(id),
        applicationName: 'bench',
        appVersion: VERSION,
        delaySeconds: Math.max(0, (dueAtMs - Date.now()) / 1000),
      };
      await client.enqueue(options as never, id as never, ownerOf(id) as never);
    },
    reschedule: async (id, dueAtMs) => {
      await client.setWorkflowDelay(workflowIdOf(id), { delayUntilEpochMS: dueAtMs });
      return 'silent';
    },
    cancel: async (id) => {
      await client.cancelWorkflow(workflowIdOf(id));
      return 'silent';
    },
    start: async (own) => {
      fires = own;
      await launch();
    },
  };
};

const workflowIdOf = (id: number): string => `j${id}`;
