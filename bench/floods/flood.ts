import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import type { VictimServer } from './victim-server.ts';

export type FloodKind = 'messages' | 'joins' | 'connections';

export interface Flood {
  /** Ends it; how many attempts it made. */
  stop(): Promise<number>;
}

const abusers = path.join(import.meta.dirname, 'abusers.ts');
/** Abusers sit at machines of their own: here they get what the server leaves. */
const LAST = 19;

/** Starts abusers in a process of their own; ready when the first of them are at work. */
export const startFlood = async (kind: FloodKind, { address, secret }: VictimServer): Promise<Flood> => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', abusers, kind], {
    env: { PATH: process.env.PATH, VICTIM: address, SECRET: secret },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  os.setPriority(child.pid ?? 0, LAST);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  await once(child.stdout, 'data');
  return {
    stop: async () => {
      const closed = once(child, 'close');
      child.stdin.end();
      await closed;
      return Number(said.trim().split('\n').at(-1));
    },
  };
};
