import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { z } from 'zod';

export const Machine = z.object({
  cores: z.number(),
  memoryGib: z.number(),
  os: z.string(),
  node: z.string(),
  postgres: z.string(),
  redis: z.string(),
  /** The load at the begin of the row: running or waiting processes, averaged over a minute. */
  load: z.number().exactOptional(),
});
export type Machine = z.infer<typeof Machine>;

/** The machine behind the figures. */
export const describeMachine = async (postgresUrl: string, redisUrl: string): Promise<Machine> => ({
  cores: os.availableParallelism(),
  memoryGib: Math.round(os.totalmem() / 2 ** 30),
  os: osName(),
  node: process.versions.node,
  postgres: await postgresVersion(postgresUrl),
  redis: await redisVersion(redisUrl),
});

/** For readers; with its load at the begin and, if given, at the end. */
export const machineText = (machine: Machine, loadAtEnd?: number): string => {
  const { cores, memoryGib, os, node, postgres, redis, load } = machine;
  const end = loadAtEnd === undefined ? '' : ` and ${loadAtEnd} when it ended`;
  const busy = load === undefined ? '' : `, load ${load} when it began${end}`;
  return `${cores} cores, ${memoryGib} GiB, ${os}, Node ${node}, Postgres ${postgres}, Redis ${redis}${busy}`;
};

interface Recorded {
  readonly atDay: string;
  readonly commit: string;
  readonly command: string;
  readonly machine: Machine;
  readonly loadAtEnd: number;
}

/** How, when and where a record was made, below a table. */
export const madeBy = ({ atDay, commit, command, machine, loadAtEnd }: Recorded): string =>
  `\`${command}\` on ${atDay} at commit ${commit}: ${machineText(machine, loadAtEnd)}`;

/** In short, below a picture. */
export const madeByInShort = ({ atDay, command, machine }: Recorded): string =>
  `${command}, ${atDay}, ${machine.cores} shared cores, Node ${machine.node}`;

export const currentLoad = (): number => Math.round((os.loadavg()[0] ?? 0) * 10) / 10;

/** The measured commit; with a plus if files have changed since. */
export const currentCommit = (): string => {
  const git = (...args: string[]): string => spawnSync('git', args, { encoding: 'utf8' }).stdout?.trim() ?? '';
  const commit = git('rev-parse', '--short=10', 'HEAD');
  return commit === ''
    ? 'unknown'
    : `${commit}${git('status', '--porcelain', '--', 'server', 'shared', 'bench/*.ts') === '' ? '' : '+'}`;
};

const osName = (): string => {
  try {
    const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
    return name ?? os.version();
  } catch {
    return `${os.type()} ${os.release()}`;
  }
};

const postgresVersion = async (connectionString: string): Promise<string> => {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return rows[0]?.server_version ?? '';
};

const redisVersion = async (url: string): Promise<string> => {
  const client = new Redis(url);
  const info = await client.info('server');
  client.disconnect();
  return /redis_version:(\S+)/.exec(info)?.[1] ?? '';
};
