import { Redis } from 'ioredis';
import { Client } from 'pg';
import { cpuMicrosOf, parentOf, postgresMicros } from '../harness/cpu.ts';
import { storeBytes } from '../harness/meter.ts';

/** CPU that the stores have used since they started, µs; NaN where the machine does not tell. */
export type StoreCpu = () => number;

/** Of the Redis and the Postgres at these addresses, with all their processes and threads. */
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
 * From now on; what it returns says what was used since, once. To look at the stores takes this process some ten
 * milliseconds, which are none of the contender's: they lie outside of what is counted as its own.
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

/** Both, by a number: timers, or seconds. */
export const shareOf = ({ ownUs, storeUs }: CpuUse, by: number): number => (ownUs + storeUs) / by;

/** What the stores have; cleans up before it looks, so that nothing does it in the middle of a measurement. */
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
