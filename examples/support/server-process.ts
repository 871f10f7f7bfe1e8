import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

export interface ServerProcess {
  readonly address: string;
  readonly pid: number;
  /** As when the machine loses power: no farewell. */
  kill(): Promise<void>;
  /** Asks it to end, and waits: accepted commands are finished. Answers the exit code. */
  stop(): Promise<number | null>;
}

const main = path.join(import.meta.dirname, '../../server/main.ts');

/** Starts the reference server as a process of its own, and waits until it says where it listens. */
export const startServer = async (env: Readonly<Record<string, string>>): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const address = await addressOf(child);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    address,
    pid: child.pid ?? 0,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
};

const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk;
      const found = /ready at (http:\/\/[^\s"]+)/.exec(said)?.[1];
      if (found) resolve(found);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${said}`)));
  });
