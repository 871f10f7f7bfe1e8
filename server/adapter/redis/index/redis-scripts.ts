import type { Cluster, Redis } from 'ioredis';
import { luaOf } from './lua-of.ts';

/** Entries, at most, that a script gets or changes: Lua's `unpack` ends near 8000 values. */
export const LARGEST_CALL = 1000;

type Argument = string | number;
type Script = (...keysAndArguments: Argument[]) => Promise<unknown>;

export interface RedisScripts {
  put(keys: [due: string, mark: string], args: readonly Argument[]): Promise<unknown>;
  remove(keys: [due: string], args: readonly Argument[]): Promise<unknown>;
  handOff(keys: [due: string, stream: string], args: readonly Argument[]): Promise<unknown>;
  finishRebuild(keys: [mark: string]): Promise<unknown>;
  raisePulse(keys: [mark: string]): Promise<unknown>;
  drop(keys: [due: string, stream: string, mark: string], args: readonly Argument[]): Promise<unknown>;
  openStream(keys: [stream: string, mark: string], args: readonly Argument[]): Promise<unknown>;
  ack(keys: [stream: string], args: readonly Argument[]): Promise<unknown>;
  hold(keys: [stream: string], args: readonly Argument[]): Promise<unknown>;
  forgetConsumers(keys: [stream: string], args: readonly Argument[]): Promise<unknown>;
  beat(keys: [nodes: string], args: readonly Argument[]): Promise<unknown>;
}

/** Defines the scripts on a client, once. They are called by their hash and sent again where a server lost them. */
export const redisScripts = (client: Redis | Cluster): RedisScripts => ({
  put: define(client, 'put', 2),
  remove: define(client, 'remove', 1),
  handOff: define(client, 'hand-off', 2),
  finishRebuild: define(client, 'finish-rebuild', 1),
  raisePulse: define(client, 'raise-pulse', 1),
  drop: define(client, 'drop', 3),
  openStream: define(client, 'open-stream', 2),
  ack: define(client, 'ack', 1),
  hold: define(client, 'hold', 1),
  forgetConsumers: define(client, 'forget-consumers', 1),
  beat: define(client, 'beat', 1),
});

const define = (client: Redis | Cluster, file: string, numberOfKeys: number) => {
  const lua = luaOf(file);
  const name = `kibble:${file}`;
  client.defineCommand(name, { lua, numberOfKeys });
  const script = (client as unknown as Record<string, Script>)[name];
  if (script === undefined) throw new Error(`ioredis did not define ${name}`);
  return (keys: readonly string[], args: readonly Argument[] = []): Promise<unknown> =>
    script.call(client, ...keys, ...args);
};
