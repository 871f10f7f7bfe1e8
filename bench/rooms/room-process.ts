import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { ServerUse } from './room-server.ts';

export interface RoomProcess {
  readonly address: string;
  /** After a full collection. */
  use(): Promise<ServerUse>;
  stop(): Promise<void>;
}

/** Starts a server of rooms, and waits until it listens. */
export const startRooms = async (
  kind: 'home' | 'home and village' | 'bare',
  env: Readonly<Record<string, string>> = {},
): Promise<RoomProcess> => {
  const child = startChild('room-server.ts', [kind], env);
  const { address } = await answerOf<{ address: string }>(child);
  return {
    address,
    use: () => {
      child.send('use');
      return answerOf<ServerUse>(child);
    },
    stop: () => stopChild(child),
  };
};

/** Has another process join these players and stay, so that their side of it is not in the way of what is measured. */
export const holdRooms = async (address: string, tokens: readonly string[]): Promise<() => Promise<void>> => {
  const child = startChild('room-holder.ts', [address], {});
  child.send(tokens);
  await answerOf(child);
  return () => stopChild(child);
};

const startChild = (file: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess =>
  fork(path.join(import.meta.dirname, file), [...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning', '--max-old-space-size=8192'],
  });

const answerOf = async <Answer>(child: ChildProcess): Promise<Answer> => {
  const [answer] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`a child of the bench ended with ${code}`))),
  ]);
  return answer as Answer;
};

const stopChild = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
};
