import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client, type Room } from '@colyseus/sdk';
import { random } from '../../server/adapter/machine/random.ts';
import { createTokens } from '../../server/room/tokens.ts';
import { createMigrated } from '../harness/stores.ts';

/** A server's reply about its use. */
export interface ServerUse {
  /** All reachable memory, in and beside the heap. */
  readonly memoryBytes: number;
  /** Since its start. */
  readonly cpuMs: number;
}

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

/** Lets another process join these players and stay, so that the clients' work does not disturb the measurement. */
export const holdRooms = async (address: string, tokens: readonly string[]): Promise<() => Promise<void>> => {
  const child = startChild('room-holder.ts', [address], {});
  child.send(tokens);
  await answerOf(child);
  return () => stopChild(child);
};

const startChild = (file: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess =>
  fork(path.join(import.meta.dirname, '../processes', file), [...args], {
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

export interface HomeProcess extends RoomProcess {
  /** Of so many new guests. */
  tokens(count: number): Promise<readonly string[]>;
}

/** The reference server as one process on a database of its own, with the timing wheel; `rules` as in a rules file. */
export const startHomes = async (
  postgresUrl: string,
  rules: object = {},
  kind: 'home' | 'home and village' = 'home',
): Promise<HomeProcess> => {
  const database = await createMigrated(postgresUrl);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-bench-'));
  const rulesFile = path.join(folder, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify(rules));
  const jwtSecret = random.uniqueName();
  const server = await startRooms(kind, {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    RULES_FILE: rulesFile,
    JWT_SECRET: jwtSecret,
    // All clients come from one address here.
    OPS_TOKENS: `bench:admin:${random.uniqueName()}`,
    DEV_TOOLS: '1',
  });
  const signer = createTokens({ jwtSecret }, random.uniqueName);
  return {
    ...server,
    tokens: (count) => Promise.all(Array.from({ length: count }, async () => (await signer.signGuest()) ?? '')),
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
      await database.drop();
    },
  };
};

const JOINING_AT_ONCE = 32;

/** With a token that was signed here, because the sign-in is not measured. */
export const joinHome = async (address: string, token: string): Promise<Room> => {
  const client = new Client(address);
  client.auth.token = token;
  const room: Room = await client.joinOrCreate('home');
  return quiet(room);
};

/** A room of its own for each. */
export const joinBare = async (address: string): Promise<Room> => quiet(await new Client(address).create('bare'));

const quiet = (room: Room): Room => {
  room.reconnection.enabled = false;
  room.onMessage('*', () => undefined);
  return room;
};

/** Some at once; answers in the order of the items. */
export const joinAll = async <Item, Joined>(
  items: readonly Item[],
  join: (item: Item, at: number) => Promise<Joined>,
): Promise<readonly Joined[]> => {
  const rooms: Joined[] = [];
  const waiting = items.entries();
  const lane = async (): Promise<void> => {
    for (const [at, item] of waiting) rooms[at] = await join(item, at);
  };
  await Promise.all(Array.from({ length: JOINING_AT_ONCE }, lane));
  return rooms;
};

export const leaveAll = async (rooms: readonly Room[]): Promise<void> => {
  await Promise.all(rooms.map((room) => room.leave()));
};
