import { Redis } from 'ioredis';
import { Client } from 'pg';
import { cpuMicrosOf, parentOf, postgresMicros } from '../harness/cpu.ts';
import { storeBytes } from '../harness/meter.ts';

/** CPU of the stores since their start, µs; NaN if the machine does not report it. */
export type StoreCpu = () => number;

/** For the Redis and the Postgres at these addresses, with all their processes and threads. */
export const openStoreCpu = async (redisUrl: string, postgresUrl: string): Promise<StoreCpu> => {
  const redis = new Redis(redisUrl);
  const redisPid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  redis.disconnect();
  const postmaster = await onClient(postgresUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return parentOf(rows[0]?.pid ?? 0);
  });
  return () => cpuMicrosOf(redisPid) + postgresMicros(postmaster);
};

/** CPU in µs, of this process and of the stores. */
interface CpuUse {
  readonly ownUs: number;
  readonly storeUs: number;
  readonly lastedMs: number;
}

/**
 * Starts counting. The returned function gives the use since then, once. Reading the stores costs this process some ten
 * milliseconds, which do not belong to the contender and are not counted as its own.
 */
export const watchCpu = (storeCpu: StoreCpu): (() => CpuUse) => {
  const stores = storeCpu();
  const startedAtMs = performance.now();
  const own = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(own);
    const lastedMs = performance.now() - startedAtMs;
    return { ownUs: user + system, storeUs: storeCpu() - stores, lastedMs };
  };
};

/** Both, divided by a number of timers or seconds. */
export const shareOf = ({ ownUs, storeUs }: CpuUse, by: number): number => (ownUs + storeUs) / by;

/** The bytes of the stores. Cleans up before it reads, so that no clean-up falls into a measurement. */
export const cleanStoreBytes = (redisUrl: string, postgresUrl: string): ReturnType<typeof storeBytes> =>
  onClient(postgresUrl, async (client) => {
    await client.query('vacuum analyze');
    await client.query('checkpoint');
    return storeBytes(redisUrl, client);
  });

const onClient = async <Value>(connectionString: string, work: (client: Client) => Promise<Value>): Promise<Value> => {
  const client = new Client({ connectionString });
  await client.connect();
  return work(client).finally(() => client.end());
};
