import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

export interface ServerProcess {
  readonly pid: number;
  readonly address: string;
  /** All its output so far. */
  readonly said: () => string;
  /** Kills the process, as at a power failure. */
  kill(): Promise<void>;
  /** Stops the process and waits: accepted commands are finished. Returns the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number | null>;
}

/** The same flags as in `npm start` and the image. */
const MEMORY = ['--max-semi-space-size=32', '--heap-growing-percent=50'];
const main = path.join(import.meta.dirname, '../../server/reference/main.ts');

/** Starts the reference server (or a similar program) as its own process, and waits until it prints its address. */
export const startServer = async (
  env: Readonly<Record<string, string>>,
  program: string = main,
): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [...MEMORY, program], {
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  const said = listenTo(child);
  const address = await addressOf(child, said);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    pid: child.pid ?? 0,
    address,
    said,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
};

/** Passes Node's compile cache on, if there is one: a start takes a third less. */
export const inherited = (): Record<string, string> => {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE };
};

const listenTo = (child: ChildProcess): (() => string) => {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  }
  return () => said;
};

const addressOf = (child: ChildProcess, said: () => string): Promise<string> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      const found = /ready at (http:\/\/[^\s"]+)/.exec(said())?.[1];
      if (found) resolve(found);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${said()}`)));
  });
