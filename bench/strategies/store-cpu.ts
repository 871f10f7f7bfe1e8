import { globSync, readdirSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { Client } from 'pg';

/** Clock ticks of `/proc/<pid>/stat`, on every Linux there is. */
const TICK_US = 10_000;

/** CPU that the stores have used since they started, µs; undefined where there is no `/proc`. */
export type StoreCpu = () => number | undefined;

/** Of the Redis and the Postgres at these addresses, with all their processes and threads. */
export const openStoreCpu = async (redisUrl: string, postgresUrl: string): Promise<StoreCpu> => {
  const pids = await pidsOf(redisUrl, postgresUrl);
  return () => {
    try {
      const { redis, postmaster } = pids;
      const sessions = childrenOf(postmaster);
      // What processes used that have ended is known to their parent, to a tick.
      return [redis, postmaster, ...sessions].reduce((sum, pid) => sum + livingUs(pid), endedUs(postmaster));
    } catch {
      return undefined;
    }
  };
};

const pidsOf = async (redisUrl: string, postgresUrl: string): Promise<{ redis: number; postmaster: number }> => {
  const redis = new Redis(redisUrl);
  const info = await redis.info('server');
  redis.disconnect();
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = readStat(rows[0]?.pid ?? 0).parent;
  await client.end();
  return { redis: Number(/process_id:(\d+)/.exec(info)?.[1]), postmaster };
};

/** Everything after the name, which may hold spaces and brackets. */
const readStat = (pid: number): { parent: number; endedTicks: number } => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), endedTicks: Number(fields[13]) + Number(fields[14]) };
  } catch {
    return { parent: 0, endedTicks: 0 };
  }
};

const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((other) => other > 0 && readStat(other).parent === pid);

/** To the nanosecond, of all threads; 0 for one that ended this moment. */
const livingUs = (pid: number): number =>
  globSync(`/proc/${pid}/task/*/schedstat`).reduce((sum, file) => sum + Number(readOr0(file).split(' ')[0]) / 1_000, 0);

const readOr0 = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '0';
  }
};

const endedUs = (pid: number): number => readStat(pid).endedTicks * TICK_US;
