import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import type { EventChannel } from '../../home/follow/home-feed.ts';
import type { Commit } from '../../home/model/commit.ts';
import type { Clock } from '../../runtime/clock.ts';
import { hash32 } from '../../runtime/hash32.ts';
import { bounded, connectOnce } from './link/redis-client.ts';

/** Fixed, because all processes must agree; unrelated to the shards of the due index. */
const CHANNELS = 64;
/** Not `events`: older processes listen there, and took a commit's home for a whole one. */
const NAME = 'commits';

interface Dependencies {
  readonly clock: Clock;
  /** Not connected yet (`createRedisClient`); the channel connects and ends the client and a duplicate of it. */
  readonly client: Redis | Cluster;
  /** The prefix of its channels; read at the start and later. */
  readonly names: { readonly prefix: string };
  /** The name of this process: it ignores its own messages. */
  readonly process: string;
}

type Listener = (commit: Commit) => void;

/** Redis' pub/sub: a player's channel is a hash of the name; a process listens to the channels of its followed players. */
export class RedisEventChannel implements EventChannel {
  readonly #on: Dependencies;
  readonly #subscriber: Redis | Cluster;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** By channel: the number of followed players. */
  readonly #followed = new Map<string, number>();

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    this.#subscriber = dependencies.client.duplicate();
    this.#subscriber.on('error', () => undefined);
    this.#subscriber.on('message', (_channel: string, message: string) => this.#receive(message));
    // Runs after each lost connection, too: the followed players may have changed meanwhile.
    this.#subscriber.on('ready', () => {
      const channels = [...this.#followed.keys()];
      if (channels.length > 0) this.#listen(channels);
    });
  }

  get clients(): readonly (Redis | Cluster)[] {
    return [this.#on.client, this.#subscriber];
  }

  /** A Redis that is away is no error: the client connects as soon as it is back. */
  async start(): Promise<void> {
    const { clock, client } = this.#on;
    const connected = Promise.allSettled([client, this.#subscriber].map(connectOnce));
    await bounded(clock, connected).catch(() => undefined);
  }

  stop(): void {
    this.#on.client.disconnect();
    this.#subscriber.disconnect();
  }

  publish(commit: Commit): void {
    const message = `${this.#on.process} ${commit.playerId} ${JSON.stringify(commit)}`;
    this.#on.client.publish(this.#channelOf(commit.playerId), message).catch(() => undefined);
  }

  subscribe(playerId: string, listener: Listener): () => void {
    const channel = this.#channelOf(playerId);
    const listeners = this.#listeners.get(playerId) ?? new Set();
    this.#listeners.set(playerId, listeners.add(listener));
    const followed = this.#followed.get(channel) ?? 0;
    this.#followed.set(channel, followed + 1);
    if (followed === 0) this.#listen([channel]);
    return () => {
      if (!listeners.delete(listener)) return;
      if (listeners.size === 0 && this.#listeners.get(playerId) === listeners) this.#listeners.delete(playerId);
      this.#leave(channel);
    };
  }

  #leave(channel: string): void {
    const followed = (this.#followed.get(channel) ?? 1) - 1;
    if (followed > 0) {
      this.#followed.set(channel, followed);
      return;
    }
    this.#followed.delete(channel);
    this.#subscriber.unsubscribe(channel).catch(() => undefined);
  }

  #listen(channels: readonly string[]): void {
    this.#subscriber.subscribe(...channels).catch(() => undefined);
  }

  #receive(message: string): void {
    // The two names come first, so that a message without a follower here is not parsed.
    const [process = '', playerId = ''] = message.split(' ', 2);
    const listeners = process === this.#on.process ? undefined : this.#listeners.get(playerId);
    if (!listeners) return;
    const commit = commitIn(message.slice(process.length + playerId.length + 2));
    if (commit?.playerId !== playerId) return;
    for (const listener of [...listeners]) listener(commit);
  }

  #channelOf(playerId: string): string {
    return `${this.#on.names.prefix}:${NAME}:${hash32(playerId) % CHANNELS}`;
  }
}

/** The parts that processes read. */
const commitShape = z.object({
  playerId: z.string(),
  home: z.object({ seq: z.int(), things: z.record(z.string(), z.looseObject({})) }),
  afterSeq: z.int(),
  touched: z.array(z.object({ module: z.string(), id: z.string() })),
  events: z.array(z.object({ seq: z.int() })),
  answers: z.array(
    z.object({
      commandId: z.string(),
      hash: z.string().optional(),
      fromSeq: z.int(),
      reply: z.object({ seq: z.int() }),
    }),
  ),
});

/** Undefined: no commit as this version writes it. It counts as lost, because an error here would end the process. */
const commitIn = (text: string): Commit | undefined => {
  try {
    const commit: Commit = JSON.parse(text);
    return commitShape.safeParse(commit).success ? commit : undefined;
  } catch {
    return undefined;
  }
};
