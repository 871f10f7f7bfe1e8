import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';

/** What three processes have used so far. */
interface Reading {
  readonly walBytes: number;
  readonly nodeMicros: number;
  readonly postgresMicros: number;
  readonly redisCommands: number;
  readonly redisMicros: number;
}

export type Used = Reading;

/** What this process, Postgres and Redis used while `work` was done. */
export const used = async (pool: Pool, redisUrl: string, work: () => Promise<void>): Promise<Used> => {
  const admin = new Redis(redisUrl);
  try {
    const before = await read(pool, admin);
    await work();
    const after = await read(pool, admin);
    return {
      walBytes: after.walBytes - before.walBytes,
      nodeMicros: after.nodeMicros - before.nodeMicros,
      postgresMicros: after.postgresMicros - before.postgresMicros,
      redisCommands: after.redisCommands - before.redisCommands,
      redisMicros: after.redisMicros - before.redisMicros,
    };
  } finally {
    admin.disconnect();
  }
};

const read = async (pool: Pool, admin: Redis): Promise<Reading> => {
  const { rows } = await pool.query<{ wal: string; pid: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal, pg_backend_pid() as pid`,
  );
  const [cpu, commands] = await Promise.all([admin.info('cpu'), admin.info('commandstats')]);
  const { user, system } = process.cpuUsage();
  return {
    walBytes: Number(rows[0]?.wal),
    nodeMicros: user + system,
    postgresMicros: postgresMicros(rows[0]?.pid ?? 0),
    redisCommands: sumOf(commands, /:calls=(\d+)/g),
    redisMicros: sumOf(cpu, /used_cpu_(?:sys|user):([\d.]+)/g) * 1_000_000,
  };
};

const sumOf = (text: string, numbers: RegExp): number =>
  [...text.matchAll(numbers)].reduce((sum, [, value]) => sum + Number(value), 0);

/** The kernel counts in hundredths of a second. */
const TICK_MICROS = 10_000;

/** CPU of the server that has this backend, of all its processes and of those that ended; NaN where there is no /proc. */
const postgresMicros = (backend: number): number => {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const server = statOf(backend)?.parent;
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), stat: statOf(Number(name)) }));
  return all.reduce((sum, { pid, stat }) => {
    if (!stat) return sum;
    if (pid === server) return sum + (stat.own + stat.ended) * TICK_MICROS;
    return stat.parent === server ? sum + stat.own * TICK_MICROS : sum;
  }, 0);
};

/** CPU of one process, a backend of Postgres for example. */
export const cpuMicrosOf = (pid: number): number => (statOf(pid)?.own ?? Number.NaN) * TICK_MICROS;

const statOf = (pid: number) => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      (at) => fields[at],
    );
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    // It has just ended.
    return undefined;
  }
};
