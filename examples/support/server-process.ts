import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

export interface ServerProcess {
  readonly pid: number;
  readonly address: string;
  /** All that it has written so far. */
  readonly said: () => string;
  /** As when the machine loses power: no farewell. */
  kill(): Promise<void>;
  /** Asks it to end, and waits: accepted commands are finished. Returns the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number | null>;
}

/** As `npm start` and the image have it. */
const MEMORY = ['--max-semi-space-size=32', '--heap-growing-percent=50'];
const main = path.join(import.meta.dirname, '../../server/reference/main.ts');

/** Starts the reference server (or a program like it) as a process of its own, and waits until it says where it listens. */
export const startServer = async (
  env: Readonly<Record<string, string>>,
  program: string = main,
): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [...MEMORY, program], {
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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

/** Where Node keeps what it compiled, if anywhere: a start takes a third less. */
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
