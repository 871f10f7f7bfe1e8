import type { Cluster, Redis } from 'ioredis';
import { luaOf } from './lua-of.ts';

/** The most entries that a script receives or changes: Lua's `unpack` fails near 8000 values. */
export const LARGEST_CALL = 1000;

type Argument = string | number;
type Script = (...keysAndArguments: Argument[]) => Promise<unknown>;

export type RedisScripts = ReturnType<typeof redisScripts>;

/** Defines the scripts on a client, once. They are called by their hash, and sent again if a server lost them. */
export const redisScripts = (client: Redis | Cluster) => ({
  put: define<[due: string, mark: string]>(client, 'put', 2),
  remove: define<[due: string]>(client, 'remove', 1),
  handOff: define<[due: string, stream: string]>(client, 'hand-off', 2),
  finishRebuild: define<[mark: string]>(client, 'finish-rebuild', 1),
  raisePulse: define<[mark: string]>(client, 'raise-pulse', 1),
  drop: define<[due: string, stream: string, mark: string]>(client, 'drop', 3),
  openStream: define<[stream: string, mark: string]>(client, 'open-stream', 2),
  ack: define<[stream: string]>(client, 'ack', 1),
  extendLease: define<[stream: string]>(client, 'extend-lease', 1),
  forgetConsumers: define<[stream: string]>(client, 'forget-consumers', 1),
  probe: define<[probe: string]>(client, 'probe', 1),
  heartbeat: define<[nodes: string]>(client, 'heartbeat', 1),
});

const define = <Keys extends readonly string[]>(
  client: Redis | Cluster,
  file: string,
  numberOfKeys: Keys['length'],
) => {
  const lua = luaOf(file);
  const name = `kibble:${file}`;
  client.defineCommand(name, { lua, numberOfKeys });
  const script = (client as unknown as Record<string, Script>)[name];
  if (script === undefined) throw new Error(`ioredis did not define ${name}`);
  return (keys: Keys, args: readonly Argument[] = []): Promise<unknown> => script.call(client, ...keys, ...args);
};
