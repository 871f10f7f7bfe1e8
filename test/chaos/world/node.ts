import path from 'node:path';
import { type ServerProcess, startServer } from '../../../examples/support/server-process.ts';
import { isAlive } from '../../../server/adapter/embedded-postgres/postmaster.ts';
import { freePort } from '../../support/redis/redis-server.ts';
import { until } from '../play/within.ts';

/** `hanging`: a worker of a game that asks a service which hangs. */
export type Role = 'all' | 'gateway' | 'worker' | 'hanging';

const hangingWorker = path.join(import.meta.dirname, 'hanging-worker.ts');
const server = path.join(import.meta.dirname, 'server-with-field.ts');

/** A server as a process, under a name that Postgres knows its connections by. */
export interface ServerNode {
  readonly name: string;
  readonly role: Role;
  readonly address: string;
  /** Not between `kill` and `restart`. */
  readonly isRunning: boolean;
  /** It has ended by itself, now or before it was started again. */
  readonly hasExited: boolean;
  /** SIGKILL, also when frozen. */
  kill(): Promise<void>;
  /** On the same port, after `kill`. */
  restart(): Promise<void>;
  /** SIGSTOP: it lives, holds everything it holds, and does nothing. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /** Asks it to end, and waits. */
  stop(): Promise<void>;
}

/** With `hangs` a worker is one of that game as well. */
export const startNode = async (
  name: string,
  role: Role,
  env: Readonly<Record<string, string>>,
  hangs = false,
): Promise<ServerNode> => {
  const ROLE = role === 'hanging' ? 'worker' : role;
  const program = role === 'hanging' || (hangs && role === 'worker') ? hangingWorker : server;
  const settings = { ...env, ...named(name, env.DATABASE_URL), ROLE, PORT: String(await freePort()) };
  let running: ServerProcess | undefined = await startServer(settings, program);
  const { address } = running;
  const signal = (what: NodeJS.Signals): void => {
    if (running) process.kill(running.pid, what);
  };
  let hasExited = false;
  const isGone = (): boolean => running !== undefined && !isAlive(running.pid);
  const end = async (how: 'kill' | 'stop'): Promise<void> => {
    hasExited ||= isGone();
    const ended = running?.[how]();
    running = undefined;
    await ended;
  };
  return {
    name,
    role,
    address,
    get isRunning() {
      return running !== undefined;
    },
    get hasExited() {
      return hasExited || isGone();
    },
    kill: () => end('kill'),
    restart: async () => {
      running = await startServer(settings, program);
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    stop: () => end('stop'),
  };
};

/** Without a URL it has a Postgres of its own. */
const named = (name: string, url: string | undefined): { readonly DATABASE_URL?: string } => {
  if (url === undefined) return {};
  const databaseUrl = new URL(url);
  databaseUrl.searchParams.set('application_name', name);
  return { DATABASE_URL: databaseUrl.href };
};

/** Of the operator of all servers. */
export const OPS_TOKEN = 'Zx81kQmW4vTn7LrB2yHcD5sJ';

/** So many calls of a kind a process has under way. */
const AT_ONCE = 16;
const BEGIN_MS = 10_000;

/** Schedules refunds for now; resolves when this worker has as many calls under way as it can have, none of which ends. */
export const hang = async (worker: ServerNode): Promise<void> => {
  await ask(worker, 'POST', '/refunds');
  await until('calls hang', BEGIN_MS, async () => Number(await ask(worker, 'GET', '/hanging')) >= AT_ONCE);
};

const ask = async (node: ServerNode, method: string, path: string): Promise<string> => {
  const response = await fetch(`${node.address}${path}`, { method });
  if (!response.ok) throw new Error(`${node.name} answers ${response.status} to ${path}: ${await response.text()}`);
  return response.text();
};
